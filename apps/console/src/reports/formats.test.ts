import { expect, test } from 'vitest';
import { niceMaximum } from './formats.ts';

test.each<[number[], number]>([
  [[], 1],
  [[0, 0], 1],
  [[3], 3],
  [[10], 10],
  [[11, 4], 20],
  [[499], 500],
  [[501], 600],
  [[801], 1000],
])('the axis of %j ends at %d', (values, end) => {
  expect(niceMaximum(values)).toBe(end);
});
