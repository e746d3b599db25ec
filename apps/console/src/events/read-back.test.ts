import { expect, test } from 'vitest';
import type { StoreEvent } from '../api/platform.ts';
import { type FeedPart, type ReadForward, readBack, readOn } from './read-back.ts';

/** A feed with the events from `oldest` to `newest`, of which the API shows every n-th. */
function feedOf(oldest: number, newest: number, every = 1): ReadForward {
  return async (after, limit) => {
    const looked = Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index)
      .filter((sequence) => sequence > after)
      .slice(0, 1000);
    const data = looked.filter((sequence) => sequence % every === 0).slice(0, limit);
    const next = data.length === limit ? (data.at(-1) as number) : (looked.at(-1) ?? after);
    return { data: data.map((sequence) => ({ sequence }) as StoreEvent), next };
  };
}
const numbers = ({ rows }: FeedPart) => rows.map(({ sequence }) => sequence);

/** All that is read backwards, part by part. */
async function readAll(read: ReadForward, newest: number, oldest: number, isFiltered: boolean): Promise<number[]> {
  const found: number[] = [];
  for (let top = newest; top >= oldest; ) {
    const part = await readBack(read, top, oldest, isFiltered);
    found.push(...numbers(part));
    expect(part.bottom).toBeLessThan(top);
    top = part.bottom;
  }
  return found;
}

test.each([
  ['short', 1, 7, 1],
  ['long', 1, 731, 1],
  ['trimmed', 4_000, 4_321, 1],
  ['filtered', 1, 3_000, 7],
  ['where nearly nothing matches', 900, 30_000, 9_999],
])('a feed that is %s is read backwards without a gap and without a repetition', async (_, oldest, newest, every) => {
  const expected = Array.from({ length: newest - oldest + 1 }, (_unused, index) => newest - index);
  expect(await readAll(feedOf(oldest, newest, every), newest, oldest, every > 1)).toEqual(
    expected.filter((sequence) => sequence % every === 0),
  );
});

test('an empty feed has no rows', async () => {
  expect(await readBack(feedOf(1, 0), 0, 1, false)).toEqual({ rows: [], top: 0, bottom: 0 });
});

test('what came since is read on, the newest first', async () => {
  const part = await readOn(feedOf(1, 500), 90);
  expect(numbers(part)).toEqual(Array.from({ length: 410 }, (_, index) => 500 - index));
  expect(part).toMatchObject({ top: 500, bottom: 90 });
  expect(await readOn(feedOf(1, 500), 500)).toEqual({ rows: [], top: 500, bottom: 500 });
});
