import { expect, test } from 'vitest';
import { ratios, rotated, spreadOf } from './statistics.ts';

test('the median of an even number of values is the mean of the middle two', () => {
  expect(spreadOf([4, 1, 3, 2])).toEqual({ median: 2.5, min: 1, max: 4 });
  expect(spreadOf([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 });
});

test('in as many rounds as there are variants, each variant comes first once', () => {
  expect([0, 1, 2, 3].map((round) => rotated(['a', 'b', 'c'], round).join(''))).toEqual(['abc', 'bca', 'cab', 'abc']);
});

test('ratios pair the values of the same round', () => {
  expect(ratios([10, 30], [20, 10])).toEqual([0.5, 3]);
});
