import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  ConnectionStatus,
  Done,
  Exact,
  Failure,
  NextStep,
  Nullable,
  NullableConnectionReason,
  NullableString,
  NullableTimestamp,
  NullableWaitReason,
  OneOf,
  Text,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { appointmentParams } from './appointments.ts';
import { SendingWindows } from './followups.ts';

export const calendarProviders = ['feed', 'caldav', 'google'] as const;

const CalendarProvider = OneOf(calendarProviders, {
  title: 'CalendarProvider',
  description:
    '`feed`: an address to which calendar programs subscribe. `caldav`: a CalDAV server. `google`: Google Calendar.',
});
const NullableProvider = Nullable(CalendarProvider);

export const CalendarSync = Type.Object(
  {
    state: OneOf(['not_connected', 'pending', 'synced', 'needs_attention', 'failed'], {
      title: 'CalendarSyncState',
      description:
        '`pending`: a change is on its way. `synced`: the event is as the appointment. `needs_attention`: a person must ' +
        'act. `failed`: a person gave it up; the next change of the appointment begins again.',
    }),
    provider: NullableProvider,
    event_id: About(NullableString, 'The id of the event in the calendar.'),
    attempts: Type.Integer({ description: 'Attempts since the last change of the appointment.' }),
    last_error: Nullable(Failure),
    reason: NullableWaitReason,
    next_attempt_at: About(NullableTimestamp, 'When the next attempt is due. A moment that has passed: it is due now.'),
    synced_at: About(NullableTimestamp, 'When the event was last brought in step.'),
  },
  { title: 'CalendarSync', description: 'The state of an appointment’s event in the calendar.' },
);
export type CalendarSync = Static<typeof CalendarSync>;

export const getCalendarSync = defineOperation({
  subject: 'scheduling.api.appointments.calendar-sync',
  http: { method: 'GET', path: '/appointments/:appointmentId/calendar-sync' },
  access: { scope: 'appointments:read' },
  summary: "Read the sync state of an appointment's calendar event",
  extension: true,
  request: { params: appointmentParams },
  reply: CalendarSync,
  errors: ['appointment_not_found'],
});

/** Serves a calendar feed, or the invitation of an appointment. The token in the address is the only credential. */
export const readCalendarFeed = defineOperation({
  subject: 'scheduling.api.calendars.feed',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: 'Read a calendar feed, or the invitation of a link',
  request: { body: Exact({ token: Type.String({ maxLength: 200 }) }) },
  reply: Type.Object({ icalendar: Type.String({ description: 'RFC 5545' }) }),
  errors: ['calendar_feed_not_found'],
});

/** A calendar tells that something in it has changed. The token of its channel is the only credential. */
export const noteCalendarChange = defineOperation({
  subject: 'scheduling.api.calendars.changed',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: 'Note that something in a calendar has changed',
  request: { body: Exact({ token: Type.String({ maxLength: 200 }) }) },
  reply: Done,
  errors: ['webhook_refused'],
});

/** One attempt to make the calendar event match the row. Safe to repeat at any time. */
export const syncCalendarEvent = defineOperation({
  subject: 'scheduling.step.calendar.sync',
  summary: 'Make the calendar event of an appointment match its row',
  request: { body: Exact({ appointment_id: Uuid }) },
  reply: NextStep,
});

/** One look at a connected calendar: reads what has changed there. Safe to repeat at any time. */
export const watchCalendar = defineOperation({
  subject: 'scheduling.step.calendar.watch',
  summary: 'Read what has changed in a connected calendar',
  request: { body: Exact({ connection_id: Uuid }) },
  reply: NextStep,
});

export const CalendarConnection = Type.Object(
  {
    provider: NullableProvider,
    status: ConnectionStatus,
    /** Only of `degraded`. */
    reason: Type.Optional(NullableWaitReason),
  },
  { title: 'CalendarConnection', description: 'The calendar of the store. Without one, `provider` is null.' },
);
export type CalendarConnection = Static<typeof CalendarConnection>;

/** What `GET /store` shows of scheduling: the calendar, and when follow-ups may be sent. */
export const getCalendarConnection = defineOperation({
  subject: 'scheduling.internal.calendars.get',
  summary: "Read the state of the store's calendar connection, and the sending windows",
  request: {},
  // A service of the previous version does not answer the windows.
  reply: Type.Object({ ...CalendarConnection.properties, sending_windows: Type.Optional(SendingWindows) }),
});

/** A calendar connection without its secrets, for the admin command. */
export const CalendarConnectionDetails = Type.Object({
  provider: NullableProvider,
  status: ConnectionStatus,
  /** Only of `degraded`. */
  reason: Type.Optional(NullableWaitReason),
  url: NullableString,
  username: NullableString,
  calendar_id: NullableString,
  last_error: NullableString,
  /** When the calendar last answered what people changed there. A service of the previous version does not answer it. */
  read_at: Type.Optional(NullableTimestamp),
  /** Why the last attempt to read it failed. */
  reading_error: Type.Optional(NullableString),
  connected_at: NullableTimestamp,
  /** The feed's secret address. */
  feed_url: NullableString,
  /** Whether its events show the customer. */
  show_customer: Type.Boolean(),
  appointments_pending: Type.Integer(),
  /** Those of them whose last attempt failed. */
  appointments_failing: Type.Integer(),
  appointments_needing_attention: Type.Integer(),
});
export type CalendarConnectionDetails = Static<typeof CalendarConnectionDetails>;

const Secret = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description }));

/** The service checks which members the provider accepts and requires, and answers a fault for each wrong one. */
const ConnectCalendarBody = Exact(
  {
    provider: CalendarProvider,
    url: Type.Optional(Type.String({ maxLength: 2000, description: 'caldav: the calendar collection' })),
    username: Type.Optional(Text(200, { description: 'caldav: the name of the account' })),
    calendar_id: Type.Optional(Text(1024, { description: 'google: the id in the calendar’s settings, or `primary`' })),
    api_url: Type.Optional(Type.String({ maxLength: 2000, description: 'google: replaces the public address' })),
    token_url: Type.Optional(Type.String({ maxLength: 2000, description: 'google: replaces the public address' })),
    rotate: Type.Optional(Type.Literal(true, { description: 'feed: a new address; the previous one stops working' })),
    secrets: Type.Optional(
      Exact(
        {
          password: Secret('caldav'),
          client_id: Secret('google: of the OAuth client'),
          client_secret: Secret('google: of the OAuth client'),
          refresh_token: Secret('google: of the account that may change the calendar'),
        },
        { title: 'CalendarSecrets', description: 'The credentials that the provider needs. They are never shown.' },
      ),
    ),
  },
  { title: 'ConnectCalendar', description: 'The calendar to connect.' },
);

export const connectCalendar = defineOperation({
  subject: 'scheduling.admin.calendars.connect',
  summary: "Connect the store's calendar, replacing the current one; future appointments are synced to it",
  request: { body: ConnectCalendarBody },
  reply: Type.Object({
    provider: CalendarProvider,
    status: Type.Literal('connected'),
    feed_url: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'feed: the secret address; the same as before, unless `rotate` is given',
    }),
    appointments_to_sync: Type.Integer(),
  }),
  errors: ['calendar_refused'],
});

export const disconnectCalendar = defineOperation({
  subject: 'scheduling.admin.calendars.disconnect',
  summary: "Disconnect the store's calendar and delete its credentials; events already in it stay",
  request: {},
  reply: Done,
  errors: ['calendar_not_connected'],
});

export const showCalendar = defineOperation({
  subject: 'scheduling.admin.calendars.show',
  summary: "Show the store's calendar connection",
  request: {},
  reply: CalendarConnectionDetails,
});

/** The calendar as the store's own people see it: never with its credentials. */
export const StoreCalendar = Type.Object(
  {
    provider: NullableProvider,
    status: ConnectionStatus,
    reason: NullableConnectionReason,
    connected_at: About(NullableTimestamp, 'When it was connected.'),
    url: About(NullableString, 'CalDAV only: the address of the calendar.'),
    username: About(NullableString, 'CalDAV only: the name of the account.'),
    calendar_id: About(NullableString, 'Google only: the id of the calendar.'),
    feed_url: About(NullableString, 'The feed only: its secret address, to which calendar programs subscribe.'),
    show_customer: Type.Boolean({ description: 'Whether events show the name and phone of the lead.' }),
    read_at: Type.Optional(About(NullableTimestamp, 'When what people changed there was last read. Null: never.')),
    appointments_pending: Type.Integer({ description: 'How many appointments wait for their event.' }),
    appointments_failing: Type.Integer({
      description: 'For how many of these the last attempt failed. They are tried again.',
    }),
    appointments_needing_attention: Type.Integer({ description: 'For how many of them a person must act.' }),
  },
  { title: 'StoreCalendar', description: 'The calendar of the store. Without one, `provider` is null.' },
);
export type StoreCalendar = Static<typeof StoreCalendar>;

export const getStoreCalendar = defineOperation({
  subject: 'scheduling.platform.calendars.get',
  http: { method: 'GET', path: '/calendar' },
  access: { role: 'manager' },
  summary: 'Read the calendar of the store and its health',
  request: {},
  reply: StoreCalendar,
});

/** By the rules of `connectCalendar`. */
export const connectStoreCalendar = defineOperation({
  subject: 'scheduling.platform.calendars.connect',
  http: { method: 'PUT', path: '/calendar' },
  access: { role: 'owner', audited: ['provider'] },
  summary: 'Connect the calendar of the store, replacing the current one; future appointments are synced to it',
  description: 'The calendar is called once, to check the address and the credentials. The secrets are never shown.',
  request: { body: ConnectCalendarBody },
  reply: StoreCalendar,
  errors: ['calendar_refused'],
});

export const disconnectStoreCalendar = defineOperation({
  subject: 'scheduling.platform.calendars.disconnect',
  http: { method: 'DELETE', path: '/calendar' },
  access: { role: 'owner' },
  summary: 'Disconnect the calendar of the store and delete its credentials; events already in it stay',
  request: {},
  reply: Done,
  errors: ['calendar_not_connected'],
});

/** Each event follows with its next sync, and a feed with its next request. */
export const updateCalendarSettings = defineOperation({
  subject: 'scheduling.admin.calendars.settings',
  summary: "Set what the events of the store's calendar show",
  request: {
    body: Exact({
      show_customer: Type.Boolean({ description: 'Whether events show the name and phone of the appointment’s lead.' }),
    }),
  },
  reply: Type.Object({ show_customer: Type.Boolean() }),
});
