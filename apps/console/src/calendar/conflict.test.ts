import { expect, test } from 'vitest';
import type { Appointment } from './appointment-queries.ts';
import { conflictOf } from './conflict.ts';

const at = (time: string) => `2026-11-23T${time}:00.000Z`;
const wanted = (time: string, sellerId: string | null = 'ana') => ({
  start: Date.parse(at(time)),
  minutes: 60,
  sellerId,
});
const appointment = (id: string, time: string, more: object = {}) =>
  ({ id, scheduled_at: at(time), duration_minutes: 60, seller_id: 'ana', status: 'scheduled', ...more }) as Appointment;

test('what takes the time of a person is named, and any other time that is not free is said to be so', () => {
  const free = [at('09:00'), at('12:00')];
  const taken = appointment('1', '10:00');
  const others = [
    taken,
    appointment('2', '14:00', { status: 'cancelled' }),
    appointment('3', '15:00', { seller_id: null }),
  ];
  expect(conflictOf(wanted('09:00'), { free, others })).toBeUndefined();
  expect(conflictOf(wanted('10:30'), { free, others })).toBe(taken);
  expect(conflictOf(wanted('11:00'), { free, others })).toBe('not free');
  expect(conflictOf(wanted('10:30', null), { free, others })).toBe('not free');
  for (const time of ['14:00', '15:00']) expect(conflictOf(wanted(time), { free, others })).toBe('not free');
});

test('an appointment is no rival of its own move, and another one is, also where its own time is', () => {
  const [own, rival] = [appointment('1', '10:00'), appointment('2', '11:00')];
  const known = { free: [at('09:30'), at('10:00')], others: [own, rival], own };
  expect(conflictOf(wanted('09:30'), known)).toBeUndefined();
  expect(conflictOf(wanted('10:30'), known)).toBe(rival);
  expect(conflictOf(wanted('10:30', null), known)).toBe('not free');
});
