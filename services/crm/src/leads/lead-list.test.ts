import { leadSorts } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { filtersBeyond, filtersOf, isGathered, needsTotal, orderOf, rowsOf } from './lead-list.ts';
import { readSearch } from './lead-search.ts';

const at = new Date('2026-11-21T12:00:00Z');
const byCreation = orderOf('-created_at');
const byChange = orderOf('updated_at');

test('a sort is a column and a direction', () => {
  expect(leadSorts.map(orderOf)).toEqual([
    { by: 'created_at', descending: true },
    { by: 'created_at', descending: false },
    { by: 'updated_at', descending: false },
    { by: 'updated_at', descending: true },
  ]);
});

test('an omitted filter is absent, and "none" selects leads without a seller', () => {
  expect(filtersOf({})).toEqual({});
  expect(filtersOf({ seller_id: 'none' })).toEqual({ seller_id: null });
  expect(filtersOf({ seller_id: '0198F2A0-5C1E-7D6A-9F00-1B2C3D4E5F60' })).toEqual({
    seller_id: '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60',
  });
  expect(filtersOf({ status: 'lost', updated_after: '2026-11-21T09:00:00-03:00', sort: 'updated_at' })).toEqual({
    status: ['lost'],
    updated_after: at,
  });
});

test('an ascending walk drops only the bound that it has passed', () => {
  const filters = { status: ['lost'], created_after: at, updated_after: at } as const;
  const later = new Date(at.getTime() + 1);
  const { created_after, updated_after, ...others } = filters;
  expect(filtersBeyond(filters, orderOf('created_at'), later)).toEqual({ ...others, updated_after });
  expect(filtersBeyond(filters, orderOf('updated_at'), later)).toEqual({ ...others, created_after });
  expect(filtersBeyond(filters, orderOf('-created_at'), later)).toEqual(filters);
  expect(filtersBeyond(filters, orderOf('created_at'), new Date(at.getTime() - 1))).toEqual(filters);
});

test('a page is read from an index if the filter has one in this order', () => {
  for (const order of [byCreation, byChange]) {
    const phone = { customer_phone: '5511900000001' };
    const optedOut = [{ opted_out: true }, { opted_out: false }, { opted_out: false, status: ['lost'] }] as const;
    const others = [{}, { status: ['lost'] }, { seller_id: null }, phone, { external_id: 'c-1' }] as const;
    for (const filters of [...others, ...optedOut]) {
      expect(isGathered(filters, order, 1, false)).toBe(false);
    }
  }
  expect(isGathered({ created_after: at }, byCreation, 1, false)).toBe(false);
  expect(isGathered({ updated_after: at }, byChange, 1, false)).toBe(false);
});

test('up to 1000 rows that are scattered in this order are fetched and sorted, more are read in order', () => {
  const scattered = [
    [{ updated_after: at }, byCreation],
    [{ created_after: at }, byChange],
    [{ status: ['lost'], seller_id: null }, byCreation],
    [{ status: ['lost'], opted_out: true }, byChange],
    [{ seller_id: null, opted_out: true }, byCreation],
    [{ email: 'ana@example.com' }, byCreation],
    [{ tag: ['vip'] }, byChange],
  ] as const;
  for (const [filters, order] of scattered) {
    expect(isGathered(filters, order, 1000, false)).toBe(true);
    expect(isGathered(filters, order, 1001, false)).toBe(false);
  }
});

test('several values are one set in one order, and all statuses are no filter', () => {
  expect(filtersOf({ status: 'lost,converted,lost', tag: 'vip, a b ,vip' })).toEqual({
    status: ['converted', 'lost'],
    tag: ['a b', 'vip'],
  });
  expect(filtersOf({ status: 'pending,in_progress,converted,lost' })).toEqual({});
});

test('what a search found is always gathered; when it found too much, only a few rows are', () => {
  const filters = { search: readSearch('Ana'), status: ['lost'] as const };
  expect(isGathered(filters, byCreation, 1000, false)).toBe(true);
  expect(isGathered(filters, byCreation, 999, true)).toBe(true);
  // It may be many more than are counted.
  expect(isGathered(filters, byCreation, 1000, true)).toBe(false);
});

test('filters by status and seller have a total, with what a seller may see', () => {
  const list = 'leads';
  expect(rowsOf({})).toEqual({ list });
  expect(rowsOf({ status: ['lost'], updated_before: at })).toEqual({ list, statuses: ['lost'] });
  expect(rowsOf({ seller_id: null })).toEqual({ list, owners: [null] });
  expect(rowsOf({ visible_to: 'a' })).toEqual({ list, owners: ['a', null] });
  expect(rowsOf({ visible_to: 'a', seller_id: 'a' })).toEqual({ list, owners: ['a'] });
  expect(rowsOf({ visible_to: 'a', seller_id: null })).toEqual({ list, owners: [null] });
  expect(rowsOf({ visible_to: 'a', seller_id: 'b' })).toEqual({ list, owners: [] });
  // Those who have opted out are subtracted.
  expect(rowsOf({ status: ['lost'], opted_out: false })).toEqual({ list, statuses: ['lost'] });
});

test('every other filter counts rows', () => {
  const text = { customer_phone: '5511900000001', external_id: 'x', email: 'a@x.com' };
  const moments = { created_after: at, updated_after: at };
  const others = { ...text, ...moments, tag: ['vip'], search: readSearch('ana'), opted_out: true };
  for (const [name, value] of Object.entries(others)) {
    expect(rowsOf({ status: ['lost'], [name]: value }), name).toBeUndefined();
  }
});

test('the total is needed before the page only where it decides how the page is read', () => {
  for (const filters of [{}, { status: ['lost'] }, { seller_id: null }, { created_after: at }] as const) {
    expect(needsTotal(filters, byCreation)).toBe(false);
  }
  const deciding = [
    { status: ['lost'], seller_id: null },
    { updated_after: at },
    { tag: ['vip'] },
    { search: readSearch('ana') },
  ] as const;
  for (const filters of deciding) expect(needsTotal(filters, byCreation)).toBe(true);
});
