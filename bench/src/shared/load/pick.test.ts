import { expect, test } from 'vitest';
import { pickBy } from './pick.ts';

test('each is chosen as often as its share says', () => {
  const pick = pickBy(['a', 'b', 'c'], (name) => ({ a: 1, b: 2, c: 1 })[name] ?? 0);
  expect([0, 0.24, 0.25, 0.74, 0.75, 0.999].map(pick)).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
});
