import { expect, test } from 'vitest';
import { columnOf, columnsOf, dayOfColumn } from './columns.ts';

const seller = (id: string, more: object = {}) => ({ id, is_active: true, bookable: true, ...more });
const booking = (capacity: number, sellers: object[]) =>
  ({ rules: { overlap: 'reject', capacity }, services: [], sellers }) as never;
const idsOf = (...given: Parameters<typeof columnsOf>) => columnsOf(...given).map(({ sellerId }) => sellerId);

test('a day has a column for each seller who can be booked, or is, and one for the places of the store', () => {
  const people = [
    seller('ana'),
    seller('rui', { bookable: false }),
    seller('bia'),
    seller('leo', { is_active: false }),
  ];
  expect(idsOf(booking(1, people), [])).toEqual(['ana', 'bia', null]);
  expect(idsOf(booking(0, people), [])).toEqual(['ana', 'bia']);
  expect(idsOf(booking(0, people), [{ seller_id: 'leo' }, { seller_id: null }] as never)).toEqual([
    ...['ana', 'bia', 'leo', null],
  ]);
  expect(idsOf(booking(1, [seller('rui', { bookable: false })]), [])).toEqual([]);
  expect(idsOf(null, [])).toEqual([]);
});

test('each column is a day of the calendar, also across a clock change', () => {
  expect([0, 1, 2].map((index) => dayOfColumn('2027-03-27', index))).toEqual([
    '2027-03-27',
    '2027-03-28',
    '2027-03-29',
  ]);
  expect(columnOf('2027-03-27', '2027-03-29T10:00:00Z')).toBe(2);
});
