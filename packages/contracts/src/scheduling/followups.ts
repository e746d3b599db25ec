import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Described,
  Done,
  Exact,
  Failure,
  MapOf,
  NextStep,
  Nullable,
  NullableFollowupMetadata,
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
import { LocalTime } from '../core/hours.ts';
import { defineOperation } from '../core/operation.ts';
import { MessageTemplate } from '../messaging/templates.ts';

/** `sending`: messaging has it, or is about to get it, so it cannot be cancelled. The last three are final. */
export const followupStatuses = ['pending', 'sending', 'sent', 'failed', 'cancelled'] as const;
export type FollowupStatus = (typeof followupStatuses)[number];
export const FollowupStatus = OneOf(followupStatuses, {
  title: 'FollowupStatus',
  description: 'Only a `pending` follow-up can be cancelled. `sent`, `failed` and `cancelled` are final.',
});

/** Why a follow-up was cancelled before it was sent. */
export const followupCancelReasons = [
  'api',
  'lead_replied',
  'appointment_booked',
  'opted_out',
  'lead_deleted',
  'expired',
  'appointment_closed',
  'appointment_moved',
  'reminder_removed',
] as const;
export type FollowupCancelReason = (typeof followupCancelReasons)[number];

export const FollowupCancelReasonWord = OneOf(followupCancelReasons, {
  title: 'FollowupCancelReason',
  description:
    'Why it was cancelled. `api`: by a request. `expired`: it was not sent before `expires_at`. Of a reminder: ' +
    '`appointment_closed`: its appointment is cancelled, done or no_show; `appointment_moved`: its time before the new ' +
    'beginning has passed; `reminder_removed`: the booking rules no longer have it. Null while it is not.',
});

/** How far ahead a follow-up can be scheduled, in days. */
export const followupHorizonDays = 366;

const FollowupReminder = Type.Object(
  {
    minutes_before: Type.Integer({ description: 'How long before the appointment it is due, in minutes.' }),
    ask_confirmation: Type.Boolean({
      description: 'Whether the answer of the lead confirms or cancels the appointment.',
    }),
  },
  { title: 'FollowupReminder', description: 'What makes a follow-up a reminder of the booking rules.' },
);

export const Followup = Type.Object(
  {
    id: About(Uuid, 'The id of the follow-up.'),
    lead_id: About(Uuid, 'The lead who gets it.'),
    message: Type.String({
      description: 'The text to send. The placeholders of a `reminder` are filled in when it is sent.',
    }),
    template: Type.Union([MessageTemplate, Type.Null()]),
    due_at: About(Timestamp, 'When it is due.'),
    next_attempt_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'When the next attempt is due: `due_at`, or later for the sending window or a failed attempt. If `expires_at` ' +
        'comes first, there is none. Null once final.',
    }),
    // Members that came after the first ones are optional in the document: see `document-clients.test.ts` on required ones.
    expires_at: Type.Optional(
      About(
        NullableTimestamp,
        'From this moment on it is not sent: a follow-up that still waits is `cancelled` as `expired`. Null: never.',
      ),
    ),
    appointment_id: Type.Optional(
      About(
        NullableUuid,
        'The appointment that it is about. Only a `reminder` follows the changes of that appointment.',
      ),
    ),
    reminder: Type.Optional(
      Nullable(FollowupReminder, { description: 'A reminder of the booking rules. Null: another follow-up.' }),
    ),
    metadata: Type.Optional(
      MapOf(Type.String(), { description: 'Data of the store’s own systems. Mostrador only keeps it.' }),
    ),
    status: FollowupStatus,
    message_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The message that the follow-up became.',
    }),
    error: Nullable(Failure, {
      description:
        'Why the follow-up failed, or why its last attempt failed. `restored`: it may have been sent before the ' +
        'database was restored, and waits for the operator; it can be cancelled.',
    }),
    cancel_reason: Nullable(FollowupCancelReasonWord),
    cancel_on_reply: Type.Boolean({ description: 'Whether a message of the lead cancels it.' }),
    cancel_on_appointment: Type.Boolean({ description: 'Whether a new appointment of the lead cancels it.' }),
    created_at: About(Timestamp, 'When it was created.'),
    updated_at: About(Timestamp, 'When it last changed.'),
  },
  { title: 'Followup', description: 'A message that is sent at a later time, unless something cancels it.' },
);
export type Followup = Static<typeof Followup>;

const DueAt = Type.String({ format: 'date-time', description: 'In the future, at most a year ahead.' });

/** What a follow-up has beside its message and its time, in a request. */
const extras = {
  expires_at: Type.Optional(
    About(
      NullableTimestamp,
      'After `due_at`. From this moment on it is not sent, but `cancelled` as `expired`. Null: never.',
    ),
  ),
  appointment_id: Type.Optional(
    About(NullableUuid, 'The appointment that it is about: any one of the store. Null: none.'),
  ),
  metadata: Type.Optional(NullableFollowupMetadata),
};

const followupParams = Exact({ followupId: About(Uuid, 'The id of the follow-up.') });

export const createFollowup = defineOperation({
  subject: 'scheduling.api.followups.create',
  http: { method: 'POST', path: '/followups/scheduled', status: 201, versioned: true },
  access: { scope: 'followups:write' },
  summary: 'Schedule a follow-up',
  description:
    'Sends a message at `due_at`, or `delay_minutes` from now (exactly one of the two), and never earlier. It can be ' +
    'changed before, and cancelled: by `DELETE`, or when the lead writes (`cancel_on_reply`), opts out, or books an appointment ' +
    '(`cancel_on_appointment`). Outside the store’s sending window it waits for the next opening. `template` is sent ' +
    'when the channel no longer accepts free text, and is checked now against the templates of the channel. A lead that ' +
    'has opted out is refused at once. From `expires_at` on it is never sent, whatever delayed it, but `cancelled` as ' +
    '`expired`.',
  extension: true,
  request: {
    body: Exact(
      {
        lead_id: About(Uuid, 'The lead who gets it.'),
        message: Text(4096, { description: 'The text to send.' }),
        due_at: Type.Optional(DueAt),
        delay_minutes: Type.Optional(
          Type.Integer({ minimum: 0, maximum: followupHorizonDays * 1440, description: 'Instead of `due_at`.' }),
        ),
        cancel_on_reply: Type.Optional(
          Type.Boolean({ default: true, description: 'Whether a message of the lead cancels it.' }),
        ),
        cancel_on_appointment: Type.Optional(
          Type.Boolean({ default: false, description: 'Whether a new appointment of the lead cancels it.' }),
        ),
        template: Type.Optional(MessageTemplate),
        ...extras,
      },
      { description: 'A new follow-up, with exactly one of `due_at` and `delay_minutes`.' },
    ),
  },
  reply: Followup,
  errors: [
    ...(['lead_not_found', 'appointment_not_found', 'lead_opted_out'] as const),
    ...(['template_not_found', 'template_not_approved'] as const),
  ],
});

const followupSorts = ['due_at', 'updated_at'] as const;
export type FollowupSort = (typeof followupSorts)[number];
const FollowupSortWord = OneOf(followupSorts, {
  title: 'FollowupSort',
  description: 'The earliest due first, or the earliest change first.',
});

export const listFollowups = defineOperation({
  subject: 'scheduling.api.followups.list',
  http: { method: 'GET', path: '/followups/scheduled' },
  access: { scope: 'followups:read' },
  summary: 'List follow-ups',
  description:
    'Ordered by `due_at`, the earliest first, or by `updated_at`. Ties break by id. `from` is inclusive, `to` is ' +
    'exclusive. By `due_at` a walk may miss a follow-up that is moved meanwhile, or meet it twice.\n\n' +
    'With `sort=updated_at` a walk along `Link` returns each change at least once, also when a later walk starts with ' +
    '`updated_after` set to the last `updated_at` of a walk that reached its end. To guarantee it, a list with this ' +
    'sort ends before the first change that may still be uncommitted. A merge of leads gives final follow-ups the ' +
    '`lead_id` of the lead that stays without a change of `updated_at`.',
  extension: true,
  request: {
    query: Exact({
      status: Type.Optional(
        Several(FollowupStatus, followupStatuses.join('|'), {
          maxLength: 200,
          description: `One or several of ${followupStatuses.join(', ')}, separated by commas.`,
        }),
      ),
      lead_id: Type.Optional(About(Uuid, 'Only follow-ups of this lead.')),
      appointment_id: Type.Optional(About(Uuid, 'Only follow-ups about this appointment.')),
      from: Type.Optional(About(Timestamp, 'Only those that are due then or later.')),
      to: Type.Optional(About(Timestamp, 'Only those that are due earlier.')),
      updated_after: Type.Optional(About(Timestamp, 'Only those that changed after this moment (exclusive).')),
      sort: Type.Optional(Described(FollowupSortWord, { default: 'due_at', description: 'The order of the list.' })),
      ...paging(),
    }),
  },
  reply: Page(Followup),
});

export const getFollowup = defineOperation({
  subject: 'scheduling.api.followups.get',
  http: { method: 'GET', path: '/followups/scheduled/:followupId', versioned: true },
  access: { scope: 'followups:read' },
  summary: 'Read a follow-up',
  extension: true,
  request: { params: followupParams },
  reply: Followup,
  errors: ['followup_not_found'],
});

export const updateFollowup = defineOperation({
  subject: 'scheduling.api.followups.update',
  http: { method: 'PATCH', path: '/followups/scheduled/:followupId', versioned: true },
  access: { scope: 'followups:write' },
  summary: 'Change a scheduled follow-up',
  description:
    'Send at least one member; members left out stay as they are. Only a `pending` follow-up can change. After a 200 ' +
    'it is sent by the new values only. After a 409, `current_status` says what it is instead. A new `due_at` begins ' +
    'the attempts again, and the sending window applies. A follow-up with the error `restored` stays held. ' +
    '`cancel_on_reply` counts the messages of the lead since the follow-up was created. `template: null` removes the ' +
    'template. A `reminder` keeps its `appointment_id` and `expires_at`, and gets the values of the rules again when its ' +
    'appointment moves. `expires_at` must be after `due_at` as both are after the change, and null removes it. `metadata` keeps ' +
    'the members that are not sent.',
  extension: true,
  request: {
    params: followupParams,
    body: Exact(
      {
        due_at: Type.Optional(DueAt),
        message: Type.Optional(Text(4096, { description: 'The text to send.' })),
        template: Type.Optional(Nullable(MessageTemplate)),
        cancel_on_reply: Type.Optional(Type.Boolean({ description: 'Whether a message of the lead cancels it.' })),
        cancel_on_appointment: Type.Optional(
          Type.Boolean({ description: 'Whether a new appointment of the lead cancels it.' }),
        ),
        ...extras,
      },
      { minProperties: 1, description: 'At least one member. Members left out stay as they are.' },
    ),
  },
  reply: Followup,
  errors: [
    ...(['followup_not_found', 'appointment_not_found', 'followup_not_pending', 'version_mismatch'] as const),
    ...(['template_not_found', 'template_not_approved'] as const),
  ],
});

export const cancelFollowup = defineOperation({
  subject: 'scheduling.api.followups.cancel',
  http: { method: 'DELETE', path: '/followups/scheduled/:followupId', versioned: true },
  access: { scope: 'followups:write' },
  summary: 'Cancel a scheduled follow-up',
  description:
    'Only a `pending` follow-up can be cancelled. After a 200 it is never sent. After a 409, `current_status` says ' +
    'what it is instead.',
  request: { params: followupParams },
  reply: Type.Object(
    { cancelled: Type.Literal(true), id: About(Uuid, 'The id of the follow-up.') },
    { description: 'The follow-up is cancelled.' },
  ),
  errors: ['followup_not_found', 'followup_not_pending', 'version_mismatch'],
});

/** The due step of one follow-up: claims it, hands it to messaging, records the outcome. Safe to repeat at any time. */
export const advanceFollowup = defineOperation({
  subject: 'scheduling.step.followups.advance',
  summary: 'Run the due step of a follow-up',
  request: { body: Exact({ followup_id: Uuid }) },
  reply: NextStep,
});

const Weekday = OneOf(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'], {
  title: 'Weekday',
  description: 'A day of the week.',
});

/** When follow-ups may be sent, in the store's time zone. No list, or an empty one, means always. */
export const SendingWindows = Type.Array(
  Exact(
    {
      weekdays: Type.Array(Weekday, { minItems: 1, maxItems: 7, uniqueItems: true, description: 'On these days.' }),
      from: LocalTime('From this time of day, such as `09:00`.'),
      to: LocalTime('Until before this time, which is after `from`. `24:00` is the end of the day.'),
    },
    { title: 'SendingWindow', description: 'Hours in which follow-ups may be sent, in the store’s time zone.' },
  ),
  { maxItems: 50 },
);
export type SendingWindows = Static<typeof SendingWindows>;

export const updateSendingWindows = defineOperation({
  subject: 'scheduling.admin.sending-windows.update',
  summary: 'Set when follow-ups may be sent',
  request: { body: Exact({ windows: SendingWindows }) },
  reply: Type.Object({ windows: SendingWindows }),
});

/** Plans waiting follow-ups again, after the store's time zone has changed. */
export const replanFollowups = defineOperation({
  subject: 'scheduling.internal.followups.replan',
  summary: 'Plan again the follow-ups that wait for a sending window',
  request: {},
  reply: Done,
});

export const followupOperations = {
  createFollowup,
  listFollowups,
  getFollowup,
  updateFollowup,
  cancelFollowup,
  advanceFollowup,
  updateSendingWindows,
  replanFollowups,
} as const;
