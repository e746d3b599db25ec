/** A page of a list, newest first, with the cursors by which it and the next page are read. */
export type PagePart<Item> = {
  readonly cursor: string | undefined;
  readonly items: readonly Item[];
  readonly next: string | undefined;
};
/** The newest part of a list. Its parts are the pages that were read, without a gap. */
export type Pages<Item> = readonly PagePart<Item>[];

type Order<Item> = {
  readonly idOf: (item: Item) => string;
  /** The moment by which the list is ordered. */
  readonly atOf: (item: Item) => string;
};

/** The items of all parts. What has moved to the front stands there only. */
export function itemsOf<Item>(pages: Pages<Item>, { idOf }: Pick<Order<Item>, 'idOf'>): Item[] {
  const seen = new Set<string>();
  return pages.flatMap(({ items }) =>
    items.filter((item) => {
      const isNew = !seen.has(idOf(item));
      seen.add(idOf(item));
      return isNew;
    }),
  );
}

/** Items of the first part that newer ones pushed out of the first page, which was read again. */
function pushedOut<Item>([first]: Pages<Item>, { items }: PagePart<Item>, { idOf, atOf }: Order<Item>): Item[] {
  const last = items.at(-1);
  if (!first || !last) return [];
  const ids = new Set(items.map(idOf));
  return first.items.filter((item) => !ids.has(idOf(item)) && atOf(item) <= atOf(last));
}

/** Whether nothing lies between the first page, read again, and what is known. */
function joins<Item>([first]: Pages<Item>, { items }: PagePart<Item>, { idOf }: Pick<Order<Item>, 'idOf'>): boolean {
  const ids = new Set(items.map(idOf));
  return first?.items.some((item) => ids.has(idOf(item))) ?? true;
}

/** So many pages are read to join what is known. A list with more new items begins again. */
const mostToJoin = 5;

/**
 * Whether the page after the first ones, read again, is needed too: to join what is known, or because an item that they
 * pushed out has changed.
 */
export function needsNext<Item>(
  pages: Pages<Item>,
  newest: PagePart<Item>,
  { changed, read, ...order }: Order<Item> & { readonly changed: ReadonlySet<string>; readonly read: number },
): boolean {
  if (newest.next === undefined) return false;
  if (!joins(pages, newest, order)) return read < mostToJoin;
  return pushedOut(pages, newest, order).some((item) => changed.has(order.idOf(item)));
}

/**
 * Puts the first page, read again, before the older parts. Items that newer ones pushed out of it stay in the first part:
 * no gap opens before the second, and what a person looks at stays where it is.
 */
export function withNewest<Item>(pages: Pages<Item>, newest: PagePart<Item>, order: Order<Item>): Pages<Item> {
  const [first, ...older] = pages;
  // Too much has happened: what is between the two is not known.
  if (!first || newest.next === undefined || !joins(pages, newest, order)) return [newest];
  const items = [...newest.items, ...pushedOut(pages, newest, order)];
  return [{ cursor: undefined, items, next: first.next }, ...older];
}

/** The cursors of the older parts that hold one of these items. */
export function partsWith<Item>(
  pages: Pages<Item>,
  ids: ReadonlySet<string>,
  { idOf }: Pick<Order<Item>, 'idOf'>,
): string[] {
  const older = pages.filter((part) => part.items.some((item) => ids.has(idOf(item))));
  return older.flatMap(({ cursor }) => (cursor === undefined ? [] : [cursor]));
}
