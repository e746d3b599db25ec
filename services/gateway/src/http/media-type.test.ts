import { expect, test } from 'vitest';
import { namedBeforeJson, prefersToJson } from './media-type.ts';

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

test.each([
  ['text/csv', 'text/csv'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['application/x-ndjson;q=0.5, text/csv;q=0.8', 'text/csv'],
  ['text/csv, application/x-ndjson, */*;q=0.1', 'application/x-ndjson'],
  ['application/json;q=0.5, TEXT/CSV', 'text/csv'],
  ['text/csv, application/json', undefined],
  ['text/csv;q=0', undefined],
  ['text/*', undefined],
  ['*/*', undefined],
  [undefined, undefined],
])('Accept %j names %j before JSON', (accept, expected) => {
  expect(namedBeforeJson(accept, ['application/x-ndjson', 'text/csv'])).toBe(expected);
});
