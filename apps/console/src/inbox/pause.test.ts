import { expect, test } from 'vitest';
import { untilOf } from './pause.ts';

test('a pause ends after its hours, or on the next morning', () => {
  // In São Paulo it is 23:30 on the last day of the year.
  const now = Date.parse('2027-01-01T02:30:00Z');
  const zone = 'America/Sao_Paulo';
  expect(Date.parse(untilOf('hour', now, zone)) - now).toBe(3_600_000);
  expect(Date.parse(untilOf('four_hours', now, zone)) - now).toBe(4 * 3_600_000);
  expect(untilOf('tomorrow', now, zone)).toBe('2027-01-01T11:00:00.000Z');
  expect(untilOf('tomorrow', now, 'Asia/Tokyo')).toBe('2027-01-01T23:00:00.000Z');
});
