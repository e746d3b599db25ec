import { expect, test } from 'vitest';
import { missingOf } from './missing.ts';

const hrefs = (count: number, prefix = 'ours') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const listed = (some: readonly string[]) => some.map((href) => ({ href, etag: '"1"' }));

test('a part of the changes names what is missing', () => {
  const changes = { isFull: false, listed: listed(['a']), removed: ['b', 'b'] };
  expect(missingOf(changes, { written: ['a', 'b', 'c'], known: [] })).toEqual(['b']);
});

test('of a whole list, what was known or written before is missing', () => {
  const changes = { isFull: true, listed: listed(['a']), removed: [] };
  expect(missingOf(changes, { written: ['a', 'b'], known: ['a', 'c'] })).toEqual(['c', 'b']);
});

test.each<[string, number, number, boolean]>([
  ['ten of ten', 10, 10, false],
  ['eleven of eleven', 11, 11, true],
  ['eleven of 21', 11, 21, true],
  ['eleven of 22', 11, 22, false],
])('%s missing events of ours are too many: %s', (_, missing, all, isTooMany) => {
  const written = hrefs(all);
  const changes = { isFull: false, listed: [], removed: [...written.slice(0, missing), ...hrefs(50, 'other')] };
  expect(missingOf(changes, { written, known: [] }) === 'too_many').toBe(isTooMany);
});
