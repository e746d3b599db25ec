import { expect, test } from 'vitest';
import { clockText, dayIn, isSameClock, momentIn } from './clock.ts';

const now = Date.parse('2026-11-26T02:30:00Z');

test('a clock shows the time of its zone, and tells the moment at which it shows one', () => {
  expect(clockText(now, 'America/Sao_Paulo')).toBe('2026-11-25 23:30:00');
  expect(dayIn(now, 'Asia/Tokyo')).toBe('2026-11-26');
  for (const [zone, at] of [
    ['America/Sao_Paulo', '2026-11-26T11:00:00.000Z'],
    ['Asia/Kathmandu', '2026-11-26T02:15:00.000Z'],
    ['UTC', '2026-11-26T08:00:00.000Z'],
  ] as const) {
    expect(new Date(momentIn('2026-11-26', '08:00', zone)).toISOString(), zone).toBe(at);
  }
  // Summer time begins at 2:00 on this day, and winter time at 3:00 on the other.
  expect(new Date(momentIn('2026-03-29', '08:00', 'Europe/Madrid')).toISOString()).toBe('2026-03-29T06:00:00.000Z');
  expect(new Date(momentIn('2026-10-25', '08:00', 'Europe/Madrid')).toISOString()).toBe('2026-10-25T07:00:00.000Z');
});

test.each([
  ['America/Sao_Paulo', 'America/Sao_Paulo', true],
  ['America/Sao_Paulo', 'America/Bahia', true],
  ['UTC', 'Etc/UTC', true],
  ['Europe/London', 'UTC', false],
  ['America/New_York', 'America/Bogota', false],
  ['America/Sao_Paulo', 'America/Manaus', false],
])('%s and %s show the same the year round: %s', (one, other, same) => {
  expect(isSameClock(one, other, now)).toBe(same);
  expect(isSameClock(other, one, now)).toBe(same);
});
