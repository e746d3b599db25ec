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

/**
 * Puts the first page, read again, before the older parts. Items that newer ones pushed out of it stay in the first part,
 * so that no gap opens before the second.
 */
export function withNewest<Item>(pages: Pages<Item>, newest: PagePart<Item>, { idOf, atOf }: Order<Item>): Pages<Item> {
  const [first, ...older] = pages;
  const last = newest.items.at(-1);
  if (!first || older.length === 0 || !last || newest.next === undefined) return [newest];
  const ids = new Set(newest.items.map(idOf));
  const pushedOut = first.items.filter((item) => !ids.has(idOf(item)) && atOf(item) <= atOf(last));
  const shares = first.items.some((item) => ids.has(idOf(item)));
  // Too much has happened: what is between the two is not known.
  if (!shares) return [newest];
  return [{ cursor: undefined, items: [...newest.items, ...pushedOut], next: first.next }, ...older];
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
