import { expect, test } from 'vitest';
import { bothPasses, momentOf, wallTime } from './zone.ts';

test.each([
  ['America/Sao_Paulo', '2026-11-23T12:30:00.000Z', '2026-11-23T09:30'],
  ['America/Sao_Paulo', '2026-11-23T02:00:00.000Z', '2026-11-22T23:00'],
  ['Asia/Kathmandu', '2026-11-23T20:00:00.000Z', '2026-11-24T01:45'],
  ['Europe/Madrid', '2026-07-01T10:00:00.000Z', '2026-07-01T12:00'],
  ['UTC', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00'],
])('in %s the clock shows at %s %s, and back', (zone, at, wall) => {
  expect(wallTime(at, zone)).toBe(wall);
  expect(momentOf(wall, zone)).toBe(at);
});

test('a time that spring skips is as much later', () => {
  expect(momentOf('2026-03-29T02:30', 'Europe/Madrid')).toBe('2026-03-29T01:30:00.000Z');
});

test('of the two passes of an hour that autumn repeats it is the first', () => {
  expect(momentOf('2026-10-25T02:30', 'Europe/Madrid')).toBe('2026-10-25T00:30:00.000Z');
});

test('the moment that filled an input stays while its clock shows the same', () => {
  const [late, exact] = ['2026-10-25T01:30:00.000Z', '2026-11-23T12:30:45.500Z'];
  expect(momentOf('2026-10-25T02:30', 'Europe/Madrid', late)).toBe(late);
  expect(momentOf('2026-10-25T02:31', 'Europe/Madrid', late)).toBe('2026-10-25T00:31:00.000Z');
  expect(momentOf('2026-11-23T09:30', 'America/Sao_Paulo', exact)).toBe(exact);
});

test('a day alone is its midnight, and what is no time is nothing', () => {
  expect(momentOf('2026-11-23', 'America/Sao_Paulo')).toBe('2026-11-23T03:00:00.000Z');
  expect(momentOf('', 'UTC')).toBeUndefined();
  expect(momentOf('soon', 'UTC')).toBeUndefined();
});

test.each([
  ['Europe/Madrid', '2026-10-25T02:30', ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']],
  ['America/New_York', '2026-11-01T01:00', ['2026-11-01T05:00:00.000Z', '2026-11-01T06:00:00.000Z']],
  // Half an hour is repeated.
  ['Australia/Lord_Howe', '2027-04-04T01:45', ['2027-04-03T14:45:00.000Z', '2027-04-03T15:15:00.000Z']],
  ['Europe/Madrid', '2026-10-25T01:59', undefined],
  ['Europe/Madrid', '2026-10-25T03:00', undefined],
  // Spring skips it.
  ['Europe/Madrid', '2026-03-29T02:30', undefined],
  ['America/Sao_Paulo', '2026-10-25T02:30', undefined],
  ['UTC', '', undefined],
])('in %s the clock shows %s at %j', (zone, wall, moments) => {
  expect(bothPasses(wall, zone)).toEqual(moments);
});
