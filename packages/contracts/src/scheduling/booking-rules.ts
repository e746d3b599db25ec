import { type Static, type TOptional, Type } from '@sinclair/typebox';
import { Exact, OneOf } from '../core/common.ts';
import type { ValidationFault } from '../core/errors.ts';
import { faultsOfHours, NullableHours, OpeningTime } from '../core/hours.ts';
import { defineOperation } from '../core/operation.ts';

const overlaps = ['allow', 'reject'] as const;
const OverlapWord = OneOf(overlaps, {
  title: 'Overlap',
  description: '`reject`: each appointment takes a place, and none is taken twice. `allow`: appointments may overlap.',
});

const HoursException = Exact(
  {
    date: Type.String({
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      description: 'The day in the store’s time zone, such as `2027-12-25`.',
    }),
    hours: Type.Array(OpeningTime, { maxItems: 20, description: 'When it is open on that day. Empty: it is closed.' }),
  },
  { title: 'HoursException', description: 'A day on which the store has other hours.' },
);

/** The most minutes of a buffer. With two of them, an appointment takes its place for less than two days. */
export const mostBufferMinutes = 240;

/** How far ahead a store can offer times, in days. */
const mostHorizonDays = 730;

/** Minutes of a buffer. */
const Buffer = (description: string, options: { default?: number } = {}) =>
  Type.Integer({ ...options, minimum: 0, maximum: mostBufferMinutes, description });

const members = {
  capacity: Type.Integer({
    default: 1,
    minimum: 0,
    maximum: 100,
    description: 'The places of the store itself. Each `bookable` seller is a place besides them.',
  }),
  slot_step_minutes: Type.Integer({
    default: 30,
    minimum: 5,
    maximum: 1440,
    description: 'The minutes between two offered starts. They count from each opening.',
  }),
  buffer_before_minutes: Buffer('The minutes before an appointment for which it takes its place.', { default: 0 }),
  buffer_after_minutes: Buffer('The minutes after an appointment for which it takes its place.', { default: 0 }),
  minimum_notice_minutes: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 366 * 1440,
    description: 'An offered start is at least this far ahead.',
  }),
  horizon_days: Type.Integer({
    default: 365,
    minimum: 1,
    maximum: mostHorizonDays,
    description: 'An offered start is at most this far ahead.',
  }),
  hours: NullableHours('When the store is open. Null: always. Empty: never, but for `exceptions`.'),
  exceptions: Type.Array(HoursException, {
    default: [],
    maxItems: 400,
    description: 'Days with other hours than those of the week. Each date once.',
  }),
};

export const BookingRules = Type.Object(
  { overlap: OverlapWord, ...members },
  { title: 'BookingRules', description: 'How appointments of the store are booked.' },
);
export type BookingRules = Static<typeof BookingRules>;

const optional = Object.fromEntries(Object.entries(members).map(([name, type]) => [name, Type.Optional(type)])) as {
  [Name in keyof typeof members]: TOptional<(typeof members)[Name]>;
};

export const putBookingRules = defineOperation({
  subject: 'scheduling.api.booking-rules.put',
  http: { method: 'PUT', path: '/booking/rules', versioned: true },
  access: { scope: 'booking:write' },
  summary: 'Set the booking rules',
  description:
    'Replaces all rules. Members left out get their defaults. A store that never sets rules has none: its appointments ' +
    'may overlap at any time of day.\n\n' +
    'With `overlap: reject` every scheduled appointment takes exactly one place for its time and both buffers: its ' +
    'seller’s, or one of the `capacity` places of the store. Appointments that exist keep their times. They take places, ' +
    'too, also when more of them overlap than there are places.',
  extension: true,
  request: { body: Exact({ overlap: OverlapWord, ...optional }, { description: 'All rules of the store.' }) },
  reply: BookingRules,
  errors: ['version_mismatch'],
});

export const getBookingRules = defineOperation({
  subject: 'scheduling.api.booking-rules.get',
  http: { method: 'GET', path: '/booking/rules', versioned: true },
  access: { scope: 'booking:read' },
  summary: 'Read the booking rules',
  extension: true,
  request: {},
  reply: BookingRules,
  errors: ['booking_rules_not_found'],
});

const isDate = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

/** What the schema does not express: each `to` is after its `from`, and each date exists and is there once. */
export function faultsOfRules({ hours, exceptions }: Pick<BookingRules, 'hours' | 'exceptions'>): ValidationFault[] {
  const dates = exceptions.map(({ date }) => date);
  return [
    ...faultsOfHours(hours ?? [], '#/hours'),
    ...exceptions.flatMap((exception, index) => [
      ...(dates.indexOf(exception.date) === index
        ? []
        : [{ pointer: `#/exceptions/${index}/date`, detail: 'must not repeat the date of another exception' }]),
      ...(isDate(exception.date)
        ? []
        : [{ pointer: `#/exceptions/${index}/date`, detail: 'must be a date that exists' }]),
      ...faultsOfHours(exception.hours, `#/exceptions/${index}/hours`),
    ]),
  ];
}
