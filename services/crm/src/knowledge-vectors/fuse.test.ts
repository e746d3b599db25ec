import { expect, test } from 'vitest';
import { fuse } from './fuse.ts';

const fused = (fullText: string[], vectors: string[]) => fuse(fullText, vectors, (item) => item);

test('what both rankings have comes before what is first in one', () => {
  expect(fused(['words', 'both'], ['meaning', 'both']).map(({ item }) => item)).toEqual(['both', 'words', 'meaning']);
});

test('each thing has its rank in each ranking, and a score up to 1', () => {
  expect(fused(['a', 'b'], ['a'])).toEqual([
    { item: 'a', ranks: { full_text: 1, vectors: 1 }, score: 1 },
    { item: 'b', ranks: { full_text: 2, vectors: null }, score: expect.closeTo(61 / 62 / 2) },
  ]);
  expect(fused([], [])).toEqual([]);
});
