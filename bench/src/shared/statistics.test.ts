import { expect, test } from 'vitest';
import { middleOf, ratios, rotated, spreadOf } from './statistics.ts';

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

test('the middle ones of 30 values are the 10th to the 21st, and of few values all', () => {
  const values = Array.from({ length: 30 }, (_, index) => 30 - index);
  expect(spreadOf(middleOf(values))).toEqual({ median: 15.5, min: 10, max: 21 });
  expect(middleOf([3, 1, 2])).toEqual([1, 2, 3]);
});
