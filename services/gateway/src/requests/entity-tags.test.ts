import { expect, test } from 'vitest';
import { noneMatchFails } from './entity-tags.ts';

test.each([
  ['"v3"', true],
  ['W/"v3"', true],
  ['"v1", "v3"', true],
  ['"v1" , W/"v3","v4"', true],
  ['"a,b", "v3"', true],
  ['*', true],
  ['"v2"', false],
  ['v3', false],
  ['"v33"', false],
  ['', false],
])('If-None-Match: %s against "v3" is a match: %s', (header, expected) => {
  expect(noneMatchFails(header, '"v3"')).toBe(expected);
});

test('a weak tag of the resource matches a strong tag with the same value', () => {
  expect(noneMatchFails('"v3"', 'W/"v3"')).toBe(true);
});
