import { expect, test } from 'vitest';
import { checksBefore, delayBeforeCheck } from './check-delay.ts';

const middle = () => 0.5;

test('the first check comes after a minute, and the pauses grow to ten minutes', () => {
  const minutes = [0, 1, 2, 3, 4, 50].map((checks) => delayBeforeCheck(checks, middle) / 60_000);
  expect(minutes).toEqual([1, 2, 4, 8, 10, 10]);
});

test('a channel that a check let go on within the last hour is refused again with the pauses that it had', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  expect(checksBefore({ checks: 4, recovered_at: minutesAgo(59) }, now)).toBe(4);
  expect(checksBefore({ checks: 4, recovered_at: minutesAgo(60) }, now)).toBe(0);
  expect(checksBefore({ checks: 4, recovered_at: null }, now)).toBe(0);
});
