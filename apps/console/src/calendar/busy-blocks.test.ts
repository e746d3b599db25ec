import { expect, test } from 'vitest';
import { busyBlocks } from './busy-blocks.ts';

const span = (start: string, end: string) => ({ start: Date.parse(start), end: Date.parse(end) });
const block = (start: string, end: string) => ({ start: `${start}:00Z`, end: `${end}:00Z` });

test('a busy time is a block on the clock of the store, cut at the edges of what is shown', () => {
  const week = {
    shown: span('2026-11-22T03:00:00Z', '2026-11-29T03:00:00Z'),
    columnCount: 0,
    timeZone: 'America/Sao_Paulo',
  };
  const busy = [
    span('2026-11-20T12:00:00Z', '2026-11-22T12:00:00Z'),
    span('2026-11-24T02:30:00Z', '2026-11-24T04:00:00Z'),
    span('2026-11-29T02:00:00Z', '2026-11-30T02:00:00Z'),
    span('2026-11-29T03:00:00Z', '2026-11-29T04:00:00Z'),
  ];
  expect(busyBlocks(busy, week)).toEqual([
    block('2026-11-22T00:00', '2026-11-22T09:00'),
    block('2026-11-23T23:30', '2026-11-24T01:00'),
    block('2026-11-28T23:00', '2026-11-29T00:00'),
  ]);
});

test('a busy time stands in the column of every person, and never in two days of one', () => {
  const day = { shown: span('2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z'), columnCount: 3, timeZone: 'UTC' };
  expect(busyBlocks([span('2026-11-23T10:00:00Z', '2026-11-23T11:00:00Z')], day)).toEqual([
    block('2026-11-23T10:00', '2026-11-23T11:00'),
    block('2026-11-24T10:00', '2026-11-24T11:00'),
    block('2026-11-25T10:00', '2026-11-25T11:00'),
  ]);
  expect(busyBlocks([span('2026-11-22T22:00:00Z', '2026-11-24T02:00:00Z')], { ...day, columnCount: 2 })).toEqual([
    block('2026-11-23T00:00', '2026-11-24T00:00'),
    block('2026-11-24T00:00', '2026-11-25T00:00'),
  ]);
});

test('a busy time over a clock change begins and ends by the clock, and one in the hour that comes twice has its length', () => {
  const shown = { columnCount: 0, timeZone: 'Europe/Madrid' };
  const spring = { ...shown, shown: span('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z') };
  expect(busyBlocks([spring.shown], spring)).toEqual([block('2026-03-29T00:00', '2026-03-30T00:00')]);
  expect(busyBlocks([span('2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z')], spring)).toEqual([
    block('2026-03-29T01:30', '2026-03-29T03:30'),
  ]);
  const autumn = { ...shown, shown: span('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z') };
  expect(busyBlocks([autumn.shown], autumn)).toEqual([block('2026-10-25T00:00', '2026-10-26T00:00')]);
  expect(busyBlocks([span('2026-10-25T00:45:00Z', '2026-10-25T01:15:00Z')], autumn)).toEqual([
    block('2026-10-25T02:45', '2026-10-25T03:15'),
  ]);
});
