import { expect, test } from 'vitest';
import { delayMs, isRetryable, retryAfterMs } from './retry.ts';

test.each([
  [200, {}, false],
  [400, {}, false],
  [404, {}, false],
  [408, {}, true],
  [409, {}, false],
  [409, { 'retry-after': '1' }, true],
  [422, {}, false],
  [429, {}, true],
  [500, {}, true],
  [503, {}, true],
  [504, {}, true],
])('%i with %o: may succeed later is %s', (status, headers, expected) => {
  expect(isRetryable(new Response(null, { status, headers: headers as Record<string, string> }))).toBe(expected);
});

test.each([
  ['2', 2000],
  ['0', 0],
  ['Sun, 31 Jan 2027 12:00:05 GMT', 5000],
  ['Sun, 31 Jan 2027 11:00:00 GMT', 0],
  ['soon', 0],
  [undefined, 0],
])('Retry-After %s is %i ms', (value, expected) => {
  const headers = new Headers(value === undefined ? {} : { 'retry-after': value });
  expect(retryAfterMs(headers, Date.UTC(2027, 0, 31, 12))).toBe(expected);
});

test('the delay doubles up to 8 s, and jitter takes up to half of it', () => {
  expect([0, 1, 2, 3, 4, 5, 30].map((retry) => delayMs(retry, 0, 1))).toEqual([
    500, 1000, 2000, 4000, 8000, 8000, 8000,
  ]);
  expect([0, 1, 4].map((retry) => delayMs(retry, 0, 0))).toEqual([250, 500, 4000]);
});

test('the delay is never less than the server asks for', () => {
  expect(delayMs(0, 3000, 0)).toBe(3000);
  expect(delayMs(0, 3000, 1)).toBe(3500);
  expect(delayMs(4, 100, 0)).toBe(4000);
});
