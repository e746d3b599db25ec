import { expect, test } from 'vitest';
import { UsageError } from '../exit.ts';
import { kindsOf, momentBefore } from './waiting-options.ts';

const now = Date.parse('2027-01-31T09:00:00.000Z');

test.each([
  ['0s', '2027-01-31T09:00:00.000Z'],
  ['30m', '2027-01-31T08:30:00.000Z'],
  ['2h', '2027-01-31T07:00:00.000Z'],
  ['1d', '2027-01-30T09:00:00.000Z'],
  ['2027-01-31T06:00:00-03:00', '2027-01-31T09:00:00.000Z'],
])('%s is %s', (typed, moment) => {
  expect(momentBefore(typed, now)).toBe(moment);
});

test.each(['', 'm', '10', '-5m', '5w', 'yesterday'])('`%s` is no age and no time', (typed) => {
  expect(() => momentBefore(typed, now)).toThrow(UsageError);
});

test('without --kind all kinds are meant, and an unknown one is rejected', () => {
  expect(kindsOf(undefined)).toEqual([
    'ai_turn',
    'calendar_sync',
    'calendar_watch',
    'followup',
    'inbound_payload',
    'message',
    'webhook_delivery',
  ]);
  expect(kindsOf('message')).toEqual(['message']);
  expect(() => kindsOf('lead')).toThrow(UsageError);
});
