import { type Static, type TLiteral, Type } from '@sinclair/typebox';
import { About, Exact, Nullable, NullableTimestamp, NullableUuid, OneOf, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { bookingErrors } from './appointments.ts';

/** The longest range of a request, in days. */
export const mostAvailabilityDays = 366;

/** The most busy times of an answer. */
export const mostBusyTimes = 500;

/** The most free times of an answer. */
export const mostFreeTimes = 500;

/** How long a hold lasts, in minutes. */
export const holdMinutes = 10;

/** How long the time that the AI was accepted for is kept while a person is to decide, in minutes. */
export const decisionHoldMinutes = 60;

const FreeTime = Type.Object(
  {
    start: About(Timestamp, 'When it begins.'),
    end: About(Timestamp, 'When it ends.'),
    seller_id: About(NullableUuid, 'The seller who is free. Null: it is a place of the store.'),
  },
  { title: 'FreeTime', description: 'A time that is free now.' },
);
export type FreeTime = Static<typeof FreeTime>;

const BusyTime = Type.Object(
  { start: About(Timestamp, 'When it begins.'), end: About(Timestamp, 'When it ends.') },
  { title: 'BusyTime', description: 'A time at which the calendar of the store is busy.' },
);

const noTimeReasons = ['closed', 'full', 'too_soon', 'too_far'] as const;
export type NoTimeReason = (typeof noTimeReasons)[number];
const NoTimeReasonWord = OneOf(noTimeReasons, {
  title: 'NoTimeReason',
  description:
    'Why no time is free. `closed`: no opening is long enough. `full`: all places are taken. `too_soon`: all are ' +
    'sooner than the minimum notice, or past. `too_far`: all are beyond the horizon.',
});

const Duration = Type.Integer({ minimum: 1, maximum: 1440, description: 'How long it takes, in minutes.' });

export const getAvailability = defineOperation({
  subject: 'scheduling.api.availability.get',
  http: { method: 'GET', path: '/availability' },
  access: { scope: 'booking:read' },
  summary: 'Find free times',
  description:
    'The free starts from `from` until before `to`, which is at most 366 days later. Give `duration_minutes`, or a ' +
    '`service_id`, whose duration is the default. With `seller_id`, or with a service that has sellers, the places are ' +
    'those of the sellers, and each free seller has an entry. Otherwise they are the places of the store.\n\n' +
    'Starts are `slot_step_minutes` apart and count from each opening, by the clock of the store: a time that a clock ' +
    'change skips is not offered, and one that it repeats is offered once. An answer has at most 500 entries; ' +
    '`next_from` says where it goes on.',
  extension: true,
  request: {
    query: Exact({
      from: About(Timestamp, 'The first start.'),
      to: About(Timestamp, 'Starts are before this moment.'),
      duration_minutes: Type.Optional(Duration),
      service_id: Type.Optional(About(Uuid, 'The service.')),
      seller_id: Type.Optional(About(Uuid, 'Only this seller.')),
      appointment_id: Type.Optional(
        About(Uuid, 'The appointment that is to move: the place that it has now counts as free.'),
      ),
    }),
  },
  reply: Type.Object(
    {
      data: Type.Array(FreeTime, { description: 'The free times, the earliest first.' }),
      timezone: Type.String({ description: 'The IANA time zone of the store, in which its hours are.' }),
      reason: Nullable(NoTimeReasonWord),
      next_from: About(NullableTimestamp, 'Ask again with this `from` for the times after these. Null: these are all.'),
    },
    { description: 'The free times, or the reason why there are none.' },
  ),
  errors: [
    'booking_rules_not_found',
    'service_not_found',
    'seller_not_found',
    'appointment_not_found',
    'service_inactive',
    'seller_inactive',
    'seller_not_bookable',
  ],
});

export const listBusyTimes = defineOperation({
  subject: 'scheduling.api.busy-times.list',
  http: { method: 'GET', path: '/calendar/busy-times' },
  access: { scope: 'appointments:read' },
  summary: 'List the busy times of the calendar',
  description:
    'When the connected calendar of the store is busy with events that are no appointments, between `from` and `to`, ' +
    'which is at most 366 days later. In a store with `overlap: reject` these times are not offered. Only times are ' +
    'known, and those that overlap or follow each other directly are one. The first may begin before `from`, and the ' +
    'last may end after `to`. Without a connected calendar there are none. An answer has at most 500 entries; ' +
    '`next_from` says where it goes on.',
  extension: true,
  request: {
    query: Exact({
      from: About(Timestamp, 'Busy times end after this moment.'),
      to: About(Timestamp, 'Busy times begin before this moment.'),
    }),
  },
  reply: Type.Object(
    {
      data: Type.Array(BusyTime, { description: 'The busy times, the earliest first.' }),
      next_from: About(NullableTimestamp, 'Ask again with this `from` for the times after these. Null: these are all.'),
    },
    { description: 'The busy times of a range.' },
  ),
  errors: [],
});

export const Hold = Type.Object(
  {
    id: About(Uuid, 'The id of the hold: `hold_id` of an appointment.'),
    start: About(Timestamp, 'When the held time begins.'),
    duration_minutes: Type.Integer({ description: 'How long it takes, in minutes.' }),
    seller_id: About(NullableUuid, 'The seller whose place is held. Null: it is a place of the store.'),
    service_id: About(NullableUuid, 'The service for which it is held.'),
    expires_at: About(Timestamp, 'From this moment on the place is free again.'),
  },
  { title: 'Hold', description: 'A place that is kept free for an appointment, for some minutes.' },
);
export type Hold = Static<typeof Hold>;

const holdParams = Exact({ holdId: About(Uuid, 'The id of the hold.') });

export const createHold = defineOperation({
  subject: 'scheduling.api.holds.create',
  http: { method: 'POST', path: '/availability/holds', status: 201 },
  access: { scope: 'booking:write' },
  summary: 'Hold a free time',
  description:
    'Takes a place for 10 minutes, while the customer completes the booking. It ends by itself, and then blocks ' +
    'nothing. `hold_id` of an appointment uses it. The start must be within the minimum notice and the horizon.',
  extension: true,
  request: {
    body: Exact(
      {
        start: About(Timestamp, 'When it begins, with any offset.'),
        duration_minutes: Type.Optional(Duration),
        service_id: Type.Optional(About(Uuid, 'The service. Its duration is the default.')),
        seller_id: Type.Optional(About(NullableUuid, 'The seller who is booked.')),
      },
      { description: 'A time to hold, with `duration_minutes` or `service_id`.' },
    ),
  },
  reply: Hold,
  errors: [
    'booking_rules_not_found',
    ...bookingErrors.filter((code) => code !== 'hold_not_found'),
    'outside_booking_window',
  ],
});

/** The assistant holds a time that a lead has accepted, until a person has confirmed it. */
export const holdForDecision = defineOperation({
  subject: 'scheduling.internal.holds.create',
  summary: 'Hold a free time while a person is to decide about it',
  request: {
    body: Exact({
      /** That of the hold. A repeat with it gets the same hold. */
      id: Uuid,
      start: Timestamp,
      duration_minutes: Duration,
      service_id: NullableUuid,
      seller_id: NullableUuid,
    }),
  },
  reply: Hold,
  errors: [
    'booking_rules_not_found',
    ...bookingErrors.filter((code) => code !== 'hold_not_found'),
    'outside_booking_window',
  ],
});

export const renewHold = defineOperation({
  subject: 'scheduling.api.holds.renew',
  http: { method: 'POST', path: '/availability/holds/:holdId/renew' },
  access: { scope: 'booking:write' },
  summary: 'Renew a hold',
  description: 'The hold lasts for 10 more minutes from now. Only once.',
  extension: true,
  request: { params: holdParams },
  reply: Hold,
  errors: ['hold_not_found', 'hold_not_renewable'],
});

export const releaseHold = defineOperation({
  subject: 'scheduling.api.holds.release',
  http: { method: 'DELETE', path: '/availability/holds/:holdId' },
  access: { scope: 'booking:write' },
  summary: 'Release a hold',
  description: 'The place is free again at once.',
  extension: true,
  request: { params: holdParams },
  reply: Type.Object(
    { released: Type.Literal(true) as TLiteral<true>, id: About(Uuid, 'The id of the hold.') },
    { description: 'The hold is released.' },
  ),
  errors: ['hold_not_found'],
});

export const availabilityOperations = {
  getAvailability,
  listBusyTimes,
  createHold,
  holdForDecision,
  renewHold,
  releaseHold,
} as const;
