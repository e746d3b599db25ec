import { expect, test } from 'vitest';
import { untilRoomSeconds } from './embed-texts.ts';

test.each([
  ['2026-11-28T12:00:00.000Z', 600],
  ['2026-11-28T23:50:00.001Z', 600],
  ['2026-11-28T23:59:30.500Z', 30],
  ['2026-11-28T23:59:59.999Z', 1],
  ['2026-11-29T00:00:00.000Z', 600],
])('at %s a used-up budget is looked at again after %d s: it may be raised, or the day ends', (at, seconds) => {
  expect(untilRoomSeconds(Date.parse(at))).toBe(seconds);
});
