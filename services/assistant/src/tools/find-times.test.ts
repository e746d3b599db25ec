import { expect, test } from 'vitest';
import { nearest, rangeOf, spread } from './find-times.ts';

const now = new Date('2027-01-05T15:00:00Z');
const range = (from?: string, to?: string) => {
  const found = rangeOf({ ...(from && { from }), ...(to && { to }) }, 'America/Sao_Paulo', now);
  return found && [found.from.toISOString(), found.to.toISOString()];
};

test('times are looked for from now on, in whole days of the store', () => {
  expect(range()).toEqual(['2027-01-05T15:00:00.000Z', '2027-01-12T03:00:00.000Z']);
  expect(range('2027-01-06', '2027-01-06')).toEqual(['2027-01-06T03:00:00.000Z', '2027-01-07T03:00:00.000Z']);
  expect(range('2027-01-01', '2027-01-05')).toEqual(['2027-01-05T15:00:00.000Z', '2027-01-06T03:00:00.000Z']);
  expect(range('2027-01-05', '2027-02-05')).toBeDefined();
});

test.each([
  ['in the past', '2027-01-01', '2027-01-04'],
  ['backwards', '2027-01-10', '2027-01-09'],
  ['too long', '2027-01-05', '2027-02-06'],
  ['no date', '2027-02-29', undefined],
])('a range that is %s is none', (_what, from, to) => {
  expect(range(from, to)).toBeUndefined();
});

test('the nearest to a wish are found, in their order', () => {
  expect(nearest([9, 10, 11, 12, 13], (hour) => Math.abs(hour - 12), 3)).toEqual([11, 12, 13]);
  expect(nearest([9, 11], (hour) => Math.abs(hour - 10), 1)).toEqual([9]);
  expect(nearest([], () => 0, 3)).toEqual([]);
});

test('a few of many are spread from the first to the last', () => {
  expect(spread([1, 2, 3, 4, 5, 6, 7, 8, 9], 5)).toEqual([1, 3, 5, 7, 9]);
  expect(spread([1, 2], 5)).toEqual([1, 2]);
});
