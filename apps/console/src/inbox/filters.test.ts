import { expect, test } from 'vitest';
import { queryOf, readFilters } from './filters.ts';

test('an address keeps its filters, and loses what the list does not know', () => {
  const filters = { status: 'pending', seller_id: 'none', unread: true, q: 'ana' };
  expect(readFilters({ ...filters, color: 'red', ai_paused: 'yes' })).toEqual(filters);
  expect(readFilters({ status: 'gone', seller_id: '../../x', q: { a: 1 } })).toEqual({});
});

test('a number in the search is text', () => {
  expect(readFilters({ q: 5511961234567 })).toEqual({ q: '5511961234567' });
});

test('a search begins with two letters or digits', () => {
  expect(queryOf({ q: ' a ', unread: true })).toEqual({ unread: true });
  expect(queryOf({ q: '--' })).toEqual({});
  expect(queryOf({ q: ' an ', status: 'lost' })).toEqual({ q: 'an', status: ['lost'] });
});

test('of those who wait, the longest wait is first', () => {
  expect(queryOf({ unanswered: true, unread: true })).toEqual({
    unanswered: true,
    unread: true,
    sort: 'waiting_since',
  });
  expect(queryOf({ unread: true })).toEqual({ unread: true });
});
