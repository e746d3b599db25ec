import { expect, test } from 'vitest';
import { fairPauseMs } from './fair-pause.ts';
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
  expect(pauseAfterUse(0, 'a', { isTold: true }) / 60_000).toBeGreaterThanOrEqual(5);
  expect(pauseAfterUse(0, 'a', { isTold: true }) / 60_000).toBeLessThanOrEqual(5.5);
  expect(pauseAfterUse(60 * 60_000, 'a', { isTold: true })).toBe(pauseAfterUse(60 * 60_000, 'a'));
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

test.each([
  [100, 10_000],
  [6_000, 10_000],
  [20_000, 10_000],
  [200_000, 10_000],
  [1_000, 600],
])('looking at %i Google calendars, all in use, takes at most 0.6 of a quota of %i a minute', (calendars, quota) => {
  const leastMs = fairPauseMs(calendars, quota);
  for (const isTold of [false, true]) {
    const shortest = pauseAfterUse(0, 'a', { isTold, leastMs });
    expect((calendars * 60_000) / shortest).toBeLessThanOrEqual(0.6 * quota);
    // A calendar that is not in use is read as rarely, and no calendar waits longer than its share asks.
    expect(pauseAfterUse(10 ** 9, 'a', { isTold, leastMs })).toBeGreaterThanOrEqual(shortest);
    expect(pauseAfterUse(10 ** 9, 'a', { leastMs })).toBeLessThanOrEqual(1.1 * Math.max(15 * 60_000, leastMs));
  }
});
