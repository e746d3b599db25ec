import { expect, test } from 'vitest';
import { pickBy } from './pick.ts';

test('every item is chosen in proportion to its share', () => {
  const pick = pickBy(['a', 'b', 'c'], (name) => ({ a: 1, b: 2, c: 1 })[name] ?? 0);
  expect([0, 0.24, 0.25, 0.74, 0.75, 0.999].map(pick)).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
});
