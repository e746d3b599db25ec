import type { PagePart, Pages } from './newest-first.ts';

/** So many pages are read again. A list that was longer ends there until more of it is wanted. */
const mostAgain = 10;

/**
 * Reads a list again from its beginning, as many pages as are known: what has left it is gone, wherever it stood. For a
 * list that is not newest first, whose pages do not stay as they were.
 */
export async function readAgain<Item>(
  known: () => Pages<Item>,
  readPage: (cursor: string | undefined) => Promise<PagePart<Item>>,
): Promise<Pages<Item>> {
  const pages = [await readPage(undefined)];
  // A page that is read meanwhile counts, too.
  while (pages.length < Math.min(known().length, mostAgain)) {
    const next = pages.at(-1)?.next;
    if (next === undefined) break;
    pages.push(await readPage(next));
  }
  return pages;
}
