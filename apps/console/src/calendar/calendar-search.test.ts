import { expect, test } from 'vitest';
import { daysOf, readCalendarSearch, step } from './calendar-search.ts';

test('an address keeps only a view, a day and an appointment that can be', () => {
  const search = { view: 'week', date: '2026-11-23', appointment: '0192f0a0-0000-7000-8000-000000000001' };
  expect(readCalendarSearch({ ...search, other: true })).toEqual(search);
  expect(readCalendarSearch({ view: 'year', date: '2026-13-40', appointment: 'x' })).toEqual({});
});

test('a week begins on the first day of the store’s weeks, and a month shows whole weeks', () => {
  expect(daysOf('week', '2026-11-25', 0)).toEqual({ from: '2026-11-22', to: '2026-11-29' });
  expect(daysOf('week', '2026-11-22', 1)).toEqual({ from: '2026-11-16', to: '2026-11-23' });
  expect(daysOf('month', '2026-11-25', 0)).toEqual({ from: '2026-11-01', to: '2026-12-13' });
  expect(daysOf('day', '2026-11-30', 0)).toEqual({ from: '2026-11-30', to: '2026-12-01' });
  expect(daysOf('agenda', '2026-11-25', 0)).toEqual({ from: '2026-11-25', to: '2026-12-09' });
});

test('one range follows the other, also across years', () => {
  expect(step('month', '2026-12-31', 1)).toBe('2027-01-01');
  expect(step('month', '2026-01-31', -1)).toBe('2025-12-01');
  expect(step('week', '2026-12-28', 1)).toBe('2027-01-04');
});
