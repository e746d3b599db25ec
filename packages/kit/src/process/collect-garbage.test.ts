import { expect, test } from 'vitest';
import { isWorthCollecting } from './collect-garbage.ts';

const megabytes = 1024 ** 2;

test.each([
  ['an idle process with garbage', { busyShare: 0.01, grownBytes: 5 * megabytes }, true],
  ['an idle process without', { busyShare: 0.01, grownBytes: 4 * megabytes }, false],
  ['one that holds less than before', { busyShare: 0, grownBytes: -megabytes }, false],
  ['one that works', { busyShare: 0.02, grownBytes: 100 * megabytes }, false],
])('collects only where it delays nothing: %s', (_, use, expected) => {
  expect(isWorthCollecting(use)).toBe(expected);
});
