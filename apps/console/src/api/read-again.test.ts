import { expect, test } from 'vitest';
import type { Pages } from './newest-first.ts';
import { readAgain } from './read-again.ts';

/** Pages of two, which end with the cursor of their last item. */
const listOf = (items: readonly number[]) => async (cursor: string | undefined) => {
  const rest = items.filter((item) => item > Number(cursor ?? 0));
  return { cursor, items: rest.slice(0, 2), next: rest.length > 2 ? String(rest[1]) : undefined };
};
async function pagesOf(items: readonly number[], count: number): Promise<Pages<number>> {
  let pages: Pages<number> = [];
  for (let n = 0; n < count; n += 1) pages = [...pages, await listOf(items)(pages.at(-1)?.next)];
  return pages;
}
const itemsOf = (pages: Pages<number>) => pages.flatMap(({ items }) => items);

test('what has left the list is gone wherever it stood, and what follows moves up', async () => {
  const known = await pagesOf([1, 2, 3, 4, 5, 6, 7], 2);
  const pages = await readAgain(() => known, listOf([2, 4, 5, 6, 7]));
  expect(itemsOf(pages)).toEqual([2, 4, 5, 6]);
  expect(pages.at(-1)?.next).toBe('6');
});

test('a list is read once at first, and to its end when it is shorter now', async () => {
  expect(itemsOf(await readAgain(() => [], listOf([1, 2, 3])))).toEqual([1, 2]);
  const known = await pagesOf([1, 2, 3, 4, 5], 3);
  const pages = await readAgain(() => known, listOf([5]));
  expect(itemsOf(pages)).toEqual([5]);
  expect(pages.at(-1)?.next).toBeUndefined();
});
