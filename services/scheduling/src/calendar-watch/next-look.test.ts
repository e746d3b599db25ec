import { expect, test } from 'vitest';
import { pauseAfterUse } from './next-look.ts';

const minutes = (unused: number, id = 'a') => pauseAfterUse(unused * 60_000, id) / 60_000;

test.each([
  [0, 1],
  [10, 1],
  [60, 6],
  [150, 15],
  [100_000, 15],
])('a calendar that was not used for %i minutes is read again after %i, and at most a tenth more', (unused, pause) => {
  expect(minutes(unused)).toBeGreaterThanOrEqual(pause);
  expect(minutes(unused)).toBeLessThanOrEqual(pause * 1.1);
});

test('a calendar that tells of its changes is read every five minutes at most, also in use', () => {
  expect(pauseAfterUse(0, 'a', true) / 60_000).toBeGreaterThanOrEqual(5);
  expect(pauseAfterUse(0, 'a', true) / 60_000).toBeLessThanOrEqual(5.5);
  expect(pauseAfterUse(60 * 60_000, 'a', true)).toBe(pauseAfterUse(60 * 60_000, 'a'));
});

test('10,000 calendars cost at most 200 looks a second, also when all of them are in use', () => {
  const looks = Array.from({ length: 10_000 }, (_, id) => 1_000 / pauseAfterUse(0, String(id)));
  expect(looks.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(200);
});

test('the ids of connections spread the looks, each always in the same way', () => {
  const pauses = new Set(Array.from({ length: 100 }, (_, id) => minutes(0, String(id))));
  expect(pauses.size).toBeGreaterThan(90);
  expect(minutes(0, 'b')).toBe(minutes(0, 'b'));
});
