import { expect, test } from 'vitest';
import { periodOf, readReportSearch } from './report-search.ts';

test('an address is read, and what makes no sense in it is left out', () => {
  expect(readReportSearch({ preset: '7d', bucket: 'week', x: 1 })).toEqual({ preset: '7d', bucket: 'week' });
  expect(readReportSearch({ from: '2026-01-01', to: '2026-02-01' })).toEqual({ from: '2026-01-01', to: '2026-02-01' });
  expect(readReportSearch({ from: '2026-02-01', to: '2026-01-01', preset: 'year', bucket: 7 })).toEqual({});
});

test.each([
  [{}, '2026-10-25', '2026-11-23', 'day'],
  [{ preset: '7d' }, '2026-11-17', '2026-11-23', 'day'],
  [{ preset: '90d' }, '2026-08-26', '2026-11-23', 'week'],
  [{ preset: 'month' }, '2026-11-01', '2026-11-23', 'day'],
  [{ preset: 'last_month' }, '2026-10-01', '2026-10-31', 'day'],
  [{ from: '2026-01-01', to: '2026-11-23' }, '2026-01-01', '2026-11-23', 'month'],
  [{ from: '2026-01-01', to: '2026-11-23', bucket: 'week' }, '2026-01-01', '2026-11-23', 'week'],
] as const)('%j is from %s to %s by %s', (search, from, to, bucket) => {
  expect(periodOf(search, '2026-11-23')).toEqual({ from, to, bucket });
});

test('the month before January is December', () => {
  expect(periodOf({ preset: 'last_month' }, '2027-01-05')).toMatchObject({ from: '2026-12-01', to: '2026-12-31' });
});
