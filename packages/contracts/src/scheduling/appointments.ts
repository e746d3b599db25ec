import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Described,
  Exact,
  MapOf,
  NullableAppointmentMetadata,
  NullableString,
  NullableText,
  NullableTimestamp,
  NullableUuid,
  OneOf,
  Page,
  paging,
  Several,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { SellerFilter } from '../crm/leads.ts';

export const appointmentStatuses = ['scheduled', 'done', 'cancelled', 'no_show'] as const;
export const AppointmentStatus = OneOf(appointmentStatuses, {
  title: 'AppointmentStatus',
  description: 'Every appointment begins as `scheduled`. `done`, `cancelled` and `no_show` are final.',
});

export const appointmentSources = ['api', 'console', 'calendar', 'customer', 'agent', 'system'] as const;
export type AppointmentSource = (typeof appointmentSources)[number];
export const AppointmentSourceWord = OneOf(appointmentSources, {
  title: 'AppointmentSource',
  description:
    'Where the change came from: a program with a key, a person in the console, a person in the calendar, the customer ' +
    'who answered a reminder, an agent of the AI, or the server itself.',
});

/** Minutes, 1 to 1,440 (a day). */
const Duration = (description = 'How long it takes, in minutes.') =>
  Type.Integer({ minimum: 1, maximum: 1440, description });

/** Of an appointment that names no duration, no service and no hold. Not in the schema, which would fill it in first. */
export const defaultDurationMinutes = 60;

export const Appointment = Type.Object(
  {
    id: About(Uuid, 'The id of the appointment.'),
    store_id: About(Uuid, 'The store of the appointment.'),
    lead_id: About(NullableUuid, 'The lead who comes. Null: the customer is not a lead of the store.'),
    title: Type.String({ description: 'What it is about.' }),
    scheduled_at: About(Timestamp, 'When it begins.'),
    duration_minutes: Type.Integer({ description: 'How long it takes, in minutes.' }),
    status: AppointmentStatus,
    notes: About(NullableString, 'Notes for the store.'),
    metadata: MapOf(Type.String(), {
      description: 'Data of the store’s own systems. Mostrador only keeps it.',
    }),
    // Members that came after the first ones are optional in the document: see `document-clients.test.ts` on required ones.
    seller_id: Type.Optional(About(NullableUuid, 'The seller who is booked. Null: none.')),
    service_id: Type.Optional(About(NullableUuid, 'The service that is booked. Null: none.')),
    confirmed_at: Type.Optional(
      About(
        NullableTimestamp,
        'When the customer confirmed it in answer to a reminder. Null: not, or not since it moved.',
      ),
    ),
    created_at: About(Timestamp, 'When it was created.'),
    updated_at: About(Timestamp, 'When it last changed.'),
  },
  { title: 'Appointment', description: 'An appointment of the store.' },
);
export type Appointment = Static<typeof Appointment>;

export const appointmentParams = Exact({ appointmentId: About(Uuid, 'The id of the appointment.') });

/** The refusals of a booking. */
export const bookingErrors = [
  'service_not_found',
  'seller_not_found',
  'hold_not_found',
  'service_inactive',
  'seller_inactive',
  'seller_not_bookable',
  'outside_opening_hours',
  'appointment_conflict',
] as const;

const HoldId = Type.Optional(
  About(
    Uuid,
    'A hold of `POST /availability/holds`. Its place goes to the appointment, and the hold ends. Members that name another ' +
      'time, duration, service or seller than the hold are 400 `validation_failed`, and the hold stays.',
  ),
);

export const createAppointment = defineOperation({
  subject: 'scheduling.api.appointments.create',
  http: { method: 'POST', path: '/appointments', status: 201, versioned: true },
  access: { scope: 'appointments:write', tier: 'starter' },
  summary: 'Create an appointment',
  description:
    'The service syncs the appointment to the connected calendar, if the store has one. ' +
    '`GET /appointments/{appointmentId}/calendar-sync` shows the state of the sync. Past dates are allowed.\n\n' +
    'In a store without booking rules appointments may overlap: the API checks no availability. With rules the ' +
    'appointment must lie in the opening hours, unless `outside_hours` is `allow`, and with `overlap: reject` it takes ' +
    'one place: that of its seller, or one of the store’s. When none is free, the answer is 409 with up to five ' +
    '`alternatives`. Of a service with sellers one who is free is booked, unless the request names one. A hold in ' +
    '`hold_id` becomes the appointment.',
  request: {
    body: Exact(
      {
        title: Text(200, { description: 'What it is about.' }),
        scheduled_at: About(Timestamp, 'When it begins, with any offset.'),
        duration_minutes: Type.Optional(
          Duration('How long it takes, in minutes. Default: that of the hold or of the service, else 60.'),
        ),
        notes: Type.Optional(NullableText(5000, { description: 'Notes for the store.' })),
        lead_id: Type.Optional(About(NullableUuid, 'The lead who comes.')),
        metadata: Type.Optional(NullableAppointmentMetadata),
        seller_id: Type.Optional(About(NullableUuid, 'The seller who is booked. Default: that of the hold.')),
        service_id: Type.Optional(
          About(NullableUuid, 'The service that is booked. Its duration is the default. Default: that of the hold.'),
        ),
        hold_id: HoldId,
      },
      { description: 'A new appointment.' },
    ),
  },
  reply: Appointment,
  errors: ['lead_not_found', ...bookingErrors],
});

export const getAppointment = defineOperation({
  subject: 'scheduling.api.appointments.get',
  http: { method: 'GET', path: '/appointments/:appointmentId', versioned: true },
  access: { scope: 'appointments:read' },
  summary: 'Read an appointment',
  request: { params: appointmentParams },
  reply: Appointment,
  errors: ['appointment_not_found'],
});

export const AppointmentInvitation = Type.Object(
  {
    file_name: Type.String({ description: 'A name for the file.' }),
    mime_type: Type.String({ description: 'The content type of the file.' }),
    content: Type.String({ description: 'The file: an iCalendar document with one event.' }),
    url: Type.String({
      description:
        'Where the customer gets the file as it is then, until 30 days after the appointment. It needs no key, so send it ' +
        'only to the customer.',
    }),
  },
  {
    title: 'AppointmentInvitation',
    description: 'A file that puts the appointment into the calendar of the customer.',
  },
);

export const getAppointmentInvitation = defineOperation({
  subject: 'scheduling.api.appointments.invitation',
  http: { method: 'GET', path: '/appointments/:appointmentId/invitation' },
  access: { scope: 'appointments:read' },
  summary: "Read an appointment's invitation",
  description:
    'An iCalendar file (RFC 5545) with the title, the time and the state of the appointment, for the ' +
    'calendar of the customer. It has no notes. Its `UID` never changes and its `SEQUENCE` rises with each change, so a ' +
    'later file replaces an earlier one. Its `METHOD` is `PUBLISH`, and after a cancellation `CANCEL`, which removes the ' +
    'appointment there (RFC 5546).',
  extension: true,
  request: { params: appointmentParams },
  reply: AppointmentInvitation,
  errors: ['appointment_not_found'],
});

const appointmentSorts = ['scheduled_at', '-scheduled_at', 'updated_at', '-updated_at'] as const;
export type AppointmentSort = (typeof appointmentSorts)[number];
const AppointmentSortWord = OneOf(appointmentSorts, {
  title: 'AppointmentSort',
  description: 'By the beginning or by the last change. A minus sign: latest first.',
});

export const listAppointments = defineOperation({
  subject: 'scheduling.api.appointments.list',
  http: { method: 'GET', path: '/appointments', exports: true },
  access: { scope: 'appointments:read' },
  summary: 'List appointments',
  description:
    'Ordered by `scheduled_at`, the earliest first, or as `sort` says. Ties break by id, in the direction of the sort. ' +
    '`from` is inclusive, `to` is exclusive. With `overlap` the list also has those that begin before `from` and end after it: all that take time ' +
    'between `from` and `to`.\n\n' +
    'With `sort=updated_at` a walk along `Link` returns each change at least once, also when a later walk starts with ' +
    '`updated_after` set to the last `updated_at` of a walk that reached its end. To guarantee it, a list with this ' +
    'sort ends before the first change that may still be uncommitted.',
  extension: true,
  request: {
    query: Exact({
      status: Type.Optional(
        Several(AppointmentStatus, appointmentStatuses.join('|'), {
          maxLength: 200,
          description: `One or several of ${appointmentStatuses.join(', ')}, separated by commas.`,
        }),
      ),
      lead_id: Type.Optional(About(Uuid, 'Only appointments of this lead.')),
      seller_id: Type.Optional(
        SellerFilter('Only appointments of the seller with this id (a UUID), or `none` for those without a seller.'),
      ),
      service_id: Type.Optional(About(Uuid, 'Only appointments of this service.')),
      confirmed: Type.Optional(
        Type.Boolean({ description: 'Only those that the customer has confirmed, or only those that are not.' }),
      ),
      from: Type.Optional(About(Timestamp, 'Only those that begin then or later.')),
      to: Type.Optional(About(Timestamp, 'Only those that begin earlier.')),
      overlap: Type.Optional(
        Type.Boolean({
          description:
            'Also those that begin before `from` and end after it. Needs `from` or `to`. Without `from` it changes nothing.',
        }),
      ),
      updated_after: Type.Optional(About(Timestamp, 'Only those that changed after this moment (exclusive).')),
      sort: Type.Optional(
        Described(AppointmentSortWord, { default: 'scheduled_at', description: 'The order of the list.' }),
      ),
      ...paging(),
    }),
  },
  reply: Page(Appointment),
});

export const updateAppointment = defineOperation({
  subject: 'scheduling.api.appointments.update',
  http: { method: 'PATCH', path: '/appointments/:appointmentId', versioned: true },
  access: { scope: 'appointments:write' },
  summary: 'Change an appointment',
  description:
    'Send at least one member; members left out stay as they are. Only a `scheduled` appointment can change: ' +
    '`done`, `cancelled` and `no_show` are final. The calendar does not get `metadata`.\n\n' +
    'In a store with booking rules a new time, duration, seller or service must be free and open, as for a new ' +
    'appointment. A refused change changes nothing. A final status frees the place. `hold_id` moves the appointment to ' +
    'the time of that hold.',
  extension: true,
  request: {
    params: appointmentParams,
    body: Exact(
      {
        title: Type.Optional(Text(200, { description: 'What it is about.' })),
        scheduled_at: Type.Optional(About(Timestamp, 'When it begins, with any offset.')),
        duration_minutes: Type.Optional(Duration()),
        notes: Type.Optional(NullableText(5000, { description: 'Notes for the store.' })),
        status: Type.Optional(AppointmentStatus),
        metadata: Type.Optional(NullableAppointmentMetadata),
        seller_id: Type.Optional(About(NullableUuid, 'The seller who is booked. Null: none.')),
        service_id: Type.Optional(About(NullableUuid, 'The service that is booked. Null: none.')),
        hold_id: HoldId,
      },
      { minProperties: 1, description: 'At least one member. Members left out stay as they are.' },
    ),
  },
  reply: Appointment,
  errors: ['appointment_not_found', 'appointment_not_scheduled', 'version_mismatch', ...bookingErrors],
});
