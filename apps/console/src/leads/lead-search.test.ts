import { expect, test } from 'vitest';
import { isFiltered, queryOf, readLeadSearch } from './lead-search.ts';

const id = '018f6b1e-7c3a-7d0e-9b1a-2f4c5d6e7f80';

test('an address keeps what the list knows, and loses the rest', () => {
  const search = { q: ' Ana ', status: 'lost', seller: id, tag: 'vip', sort: 'updated_at', other: 1 };
  expect(readLeadSearch(search)).toEqual({ q: 'Ana', status: 'lost', seller: id, tag: 'vip', sort: 'updated_at' });
  expect(readLeadSearch({ q: {}, status: 'gone', seller: 'x', sort: 'name' })).toEqual({});
});

test('a phone in the address is a text', () => {
  expect(readLeadSearch({ q: 11961234567 }).q).toBe('11961234567');
});

test('what is too short to be searched for is not sent', () => {
  expect(queryOf({ q: 'a' }).q).toBeUndefined();
  expect(queryOf({ q: '+-' }).q).toBeUndefined();
  expect(queryOf({ q: 'an' }).q).toBe('an');
});

test('tags are sent without the spaces and gaps between them', () => {
  expect(queryOf({ tag: ' vip ,, new client ' }).tag).toBe('vip,new client');
  expect(queryOf({ tag: ',' }).tag).toBeUndefined();
});

test('an order is not a filter', () => {
  expect(isFiltered({ sort: 'created_at' })).toBe(false);
  expect(isFiltered({ tag: 'vip' })).toBe(true);
});
