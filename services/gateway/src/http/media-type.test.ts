import { expect, test } from 'vitest';
import { prefersToJson } from './media-type.ts';

test.each([
  ['text/csv', true],
  ['TEXT/CSV; charset=utf-8', true],
  ['text/csv, */*', true],
  ['text/csv, */*;q=0.1', true],
  ['text/*', true],
  ['application/json;q=0.9, text/csv', true],
  ['application/json;q=0, */*', true],
  ['text/csv;q=0.001', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['application/json, text/csv', false],
  ['text/csv, application/json', false],
  ['text/csv;q=0.5, application/json;q=0.8', false],
  ['text/csv;q=0.5, */*', false],
  ['text/csv;q=0', false],
  ['text/csv;q=0, text/*', false],
  ['text/csv;q=nonsense', false],
  ['text/csv;q=2', false],
  ['image/png', false],
  [`${','.repeat(16_000)}text/csv`, false],
])('Accept %j prefers CSV to JSON: %j', (accept, expected) => {
  expect(prefersToJson(accept, 'text/csv')).toBe(expected);
});
