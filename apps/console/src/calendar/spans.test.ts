import { expect, test } from 'vitest';
import { byDay, partIn, spanOf } from './spans.ts';

const at = (scheduled_at: string, duration_minutes: number) => ({ scheduled_at, duration_minutes });
const daysOf = (appointment: ReturnType<typeof at>, timeZone: string, from = '2026-01-01', to = '2027-01-01') => [
  ...byDay([appointment], spanOf, { from, to }, timeZone).keys(),
];

test('what goes on over midnight lies on both days of the clock of the store, and what ends at midnight on one', () => {
  expect(daysOf(at('2026-11-24T02:30:00Z', 60), 'America/Sao_Paulo')).toEqual(['2026-11-23', '2026-11-24']);
  expect(daysOf(at('2026-11-24T02:30:00Z', 30), 'America/Sao_Paulo')).toEqual(['2026-11-23']);
  expect(daysOf(at('2026-11-24T03:00:00Z', 1440), 'America/Sao_Paulo')).toEqual(['2026-11-24']);
  expect(daysOf(at('2026-11-24T02:30:00Z', 60), 'UTC')).toEqual(['2026-11-24']);
  // A day of 23 hours and one of 25.
  expect(daysOf(at('2026-03-28T23:30:00Z', 1350), 'Europe/Madrid')).toEqual(['2026-03-29']);
  expect(daysOf(at('2026-03-28T23:30:00Z', 1351), 'Europe/Madrid')).toEqual(['2026-03-29', '2026-03-30']);
  expect(daysOf(at('2026-10-24T22:30:00Z', 1440), 'Europe/Madrid')).toEqual(['2026-10-25']);
});

test('only the days that are shown have entries, in order, and each has its own in theirs', () => {
  const [before, late, over, next] = [
    at('2026-11-22T23:30:00Z', 60),
    at('2026-11-24T20:00:00Z', 60),
    at('2026-11-24T23:30:00Z', 60),
    at('2026-11-25T00:15:00Z', 15),
  ];
  const shown = byDay([before, late, over, next], spanOf, { from: '2026-11-23', to: '2026-11-26' }, 'UTC');
  expect([...shown]).toEqual([
    ['2026-11-23', [before]],
    ['2026-11-24', [late, over]],
    ['2026-11-25', [over, next]],
  ]);
  expect([...byDay([over], spanOf, { from: '2026-11-24', to: '2026-11-25' }, 'UTC').keys()]).toEqual(['2026-11-24']);
});

test('a column shows the part of a time that lies on its day', () => {
  const day = { start: 100, end: 200 };
  expect(partIn({ start: 90, end: 110 }, day)).toEqual({ start: 100, end: 110 });
  expect(partIn({ start: 190, end: 210 }, day)).toEqual({ start: 190, end: 200 });
  expect(partIn({ start: 0, end: 300 }, day)).toEqual(day);
  for (const outside of [
    { start: 90, end: 100 },
    { start: 200, end: 210 },
  ]) {
    expect(partIn(outside, day)).toBeUndefined();
  }
});
