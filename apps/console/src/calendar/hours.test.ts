import { expect, test } from 'vitest';
import { closedParts, hoursOf } from './hours.ts';

const at = (from: string, to: string) => ({ weekday: 1, from, to });
const rules = { hours: [at('09:00', '12:00'), at('13:00', '18:00')], exceptions: [{ date: '2026-12-28', hours: [] }] };
const sellers = [{ id: 'ana', hours: [at('10:00', '24:00')] }];
const closed = (sellerId: string | null, day: string) =>
  closedParts(hoursOf({ rules, sellers } as never, sellerId), day).map(({ from, to }) => `${from / 60}-${to / 60}`);

test('a day is grey where the store, or the seller of a column, is closed', () => {
  expect(closed(null, '2026-11-23')).toEqual(['0-9', '12-13', '18-24']);
  expect(closed('ana', '2026-11-23')).toEqual(['0-10']);
  expect(closed(null, '2026-11-24')).toEqual(['0-24']);
  expect(closed('ana', '2026-12-28')).toEqual(['0-24']);
  expect(closedParts(hoursOf({ rules: { ...rules, hours: null }, sellers } as never, null), '2026-11-23')).toEqual([]);
});
