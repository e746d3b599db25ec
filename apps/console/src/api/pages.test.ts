import { expect, test } from 'vitest';
import { cursorOf } from './pages.ts';

test.each([
  ['<https://api.example.com/platform/v1/leads?limit=2&cursor=a%2Bb>; rel="next"', 'a+b'],
  ['</platform/v1/leads?cursor=abc>; rel="next"', 'abc'],
  [null, undefined],
  ['<https://api.example.com/docs>; rel="deprecation"', undefined],
])('the cursor of the page after %s is %s', (link, cursor) => {
  expect(cursorOf(link)).toBe(cursor);
});
