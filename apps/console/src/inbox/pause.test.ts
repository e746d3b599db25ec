import { expect, test } from 'vitest';
import { untilOf } from './pause.ts';

test('a pause ends after its hours, or on the next morning', () => {
  const now = new Date(2026, 11, 31, 23, 30).getTime();
  expect(Date.parse(untilOf('hour', now)) - now).toBe(3_600_000);
  expect(Date.parse(untilOf('four_hours', now)) - now).toBe(4 * 3_600_000);
  expect(new Date(untilOf('tomorrow', now))).toEqual(new Date(2027, 0, 1, 8));
});
