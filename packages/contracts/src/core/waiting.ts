import { type Static, Type } from '@sinclair/typebox';
import { About, Exact, NullableString, NullableTimestamp, NullableUuid, OneOf, Timestamp, Uuid } from './common.ts';
import { defineOperation } from './operation.ts';

/** What can wait, and the service that owns it. */
export const waitingKinds = {
  calendar_sync: 'scheduling',
  followup: 'scheduling',
  message: 'messaging',
  webhook_delivery: 'events',
} as const;
export type WaitingKind = keyof typeof waitingKinds;
export type WaitingService = (typeof waitingKinds)[WaitingKind];

/** The kinds in the order that breaks ties of `since`. */
export const waitingKindsInOrder = (Object.keys(waitingKinds) as WaitingKind[]).sort();

export const WaitingKindWord = OneOf(waitingKindsInOrder, {
  title: 'WaitingKind',
  description:
    '`calendar_sync`: an appointment whose calendar event is not in step. `followup`: a follow-up that is due. ' +
    '`message`: a message that has no outcome. `webhook_delivery`: an event that an endpoint has not accepted.',
});

/** Why something waits. The list only grows. */
export const waitingReasons = [
  'due',
  'running',
  'failed_attempt',
  'postponed',
  'behind_another',
  'provider_unavailable',
  'provider_busy',
  'not_connected',
  'needs_attention',
  'unknown_outcome',
  'restored',
  'endpoint_paused',
  'endpoint_disabled',
] as const;
export type WaitingReason = (typeof waitingReasons)[number];
export const WaitingReasonWord = OneOf(waitingReasons, {
  title: 'WaitingReason',
  description:
    '`due`: the next attempt is about to begin. `running`: an attempt runs. `failed_attempt`: the last attempt failed, ' +
    'and the next one follows. `postponed`: a rate limit, a sending window or the provider asked for a pause. ' +
    '`behind_another`: an earlier one of the same lead or resource goes first. `provider_unavailable`, ' +
    '`provider_busy`: the provider is not called now. `not_connected`: no channel is connected. `needs_attention`: a ' +
    'person must act. `unknown_outcome`: the answer was lost, and a person settles it. `restored`: it may have ' +
    'happened before the database was restored. `endpoint_paused`, `endpoint_disabled`: nothing is sent to the endpoint.',
});

export const WaitingItem = Type.Object(
  {
    kind: WaitingKindWord,
    id: About(Uuid, 'The appointment, the follow-up, the message or the webhook delivery.'),
    lead_id: About(NullableUuid, 'The lead whom it is about. Null: none, or it is an event.'),
    endpoint_id: About(NullableUuid, 'Only of a `webhook_delivery`: its endpoint. Otherwise null.'),
    since: About(Timestamp, 'Since when it waits.'),
    until: About(NullableTimestamp, 'When the next attempt is due. Null: something else must happen first.'),
    reason: WaitingReasonWord,
    detail: Type.String({ description: 'The same for people, with the code of the last failure. Nothing personal.' }),
    attempts: Type.Integer({ description: 'How many attempts were made.' }),
    workflow_id: About(
      NullableString,
      'The workflow that carries it, to find it in Temporal’s UI. Null: no workflow carries it now.',
    ),
  },
  { title: 'WaitingItem', description: 'Something of the store that waits.' },
);
export type WaitingItem = Static<typeof WaitingItem>;

/** The place of an item in the list: the oldest first, then by kind and id. */
export const WaitingPlace = Exact({ since: Timestamp, kind: WaitingKindWord, id: Uuid });
export type WaitingPlace = Static<typeof WaitingPlace>;

/** The most items that one call retries or gives up. */
export const maxWaitingChange = 500;

const WaitingFilter = Exact(
  {
    reason: Type.Optional(WaitingReasonWord),
    older_than: Type.Optional(About(Timestamp, 'Only what waits since before this moment.')),
  },
  {
    title: 'WaitingFilter',
    description: 'What waits for this reason, or since before a moment. `{}`: all of the kind.',
  },
);

/** What a retry and a give-up say. Exactly one of `ids` and `filter`. */
const choice = {
  kind: WaitingKindWord,
  ids: Type.Optional(
    Type.Array(Uuid, { minItems: 1, maxItems: maxWaitingChange, uniqueItems: true, description: 'Only these.' }),
  ),
  filter: Type.Optional(WaitingFilter),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'With `filter`: the `next_cursor` of the answer before, to go on behind what that looked at.',
    }),
  ),
  dry_run: Type.Boolean({ description: 'True: nothing changes, and the answer says what would.' }),
};

export const RetryWaiting = Exact(choice, {
  title: 'RetryWaiting',
  description: 'What to retry: exactly one of `ids` and `filter`.',
});
export type RetryWaiting = Static<typeof RetryWaiting>;

export const UnknownOutcome = OneOf(['sent', 'failed'], {
  title: 'UnknownOutcome',
  description:
    'Only of the kind `message`: what those with an unknown outcome become. Left out: they stay as they are.',
});

export const GiveUpWaiting = Exact(
  {
    ...choice,
    unknown_as: Type.Optional(UnknownOutcome),
  },
  { title: 'GiveUpWaiting', description: 'What to give up: exactly one of `ids` and `filter`.' },
);
export type GiveUpWaiting = Static<typeof GiveUpWaiting>;

export const skipReasons = [
  'not_waiting',
  'running',
  'handed_over',
  'unknown_outcome',
  'not_connected',
  'needs_attention',
  'restored',
  'endpoint_paused',
  'endpoint_disabled',
  'event_expired',
  'out_of_time',
] as const;
export type SkipReason = (typeof skipReasons)[number];

export const WaitingChange = Type.Object(
  {
    matched: Type.Integer({ description: 'How many were looked at.' }),
    done: Type.Integer({ description: 'How many were changed. In a dry run: how many would be.' }),
    skipped: Type.Array(
      Type.Object(
        {
          id: About(Uuid, 'The row that was left unchanged.'),
          why: OneOf(skipReasons, {
            title: 'WaitingSkipReason',
            description:
              '`not_waiting`: it does not wait, or the store has none with this id. `running`: an attempt runs. ' +
              '`handed_over`: the follow-up is a message now, so look there. `unknown_outcome`: it must be settled as ' +
              '`sent` or `failed`. `not_connected`, `needs_attention`: connect the channel or the calendar first. ' +
              '`restored`: it may have been sent before the restore, so name its id. `endpoint_paused`, ' +
              '`endpoint_disabled`: enable the endpoint first. ' +
              '`event_expired`: the feed no longer has the event. `out_of_time`: send the request again.',
          }),
        },
        { title: 'WaitingSkipped', description: 'One that was left as it is.' },
      ),
      { description: 'The rows that were left unchanged.' },
    ),
    next_cursor: About(NullableString, 'Not null: the filter matches more. Send it as `cursor` with the same body.'),
  },
  { title: 'WaitingChange', description: 'What a retry or a give-up changed.' },
);
export type WaitingChange = Static<typeof WaitingChange>;

/** The operations by which a service answers for the kinds that it owns. The gateway merges and forwards them. */
export const waitingOperationsOf = <const Service extends WaitingService>(service: Service) => ({
  list: defineOperation({
    subject: `${service}.platform.waiting.list`,
    access: { role: 'manager' },
    summary: 'List what waits in this service, the oldest first',
    request: {
      body: Exact({
        kind: Type.Optional(WaitingKindWord),
        after: Type.Optional(WaitingPlace),
        limit: Type.Integer({ minimum: 1, maximum: 201 }),
      }),
    },
    reply: Type.Object({ data: Type.Array(WaitingItem) }),
  }),
  retry: defineOperation({
    subject: `${service}.platform.waiting.retry`,
    access: { role: 'owner' },
    summary: 'Make the next attempt of what waits in this service now',
    request: { body: RetryWaiting },
    reply: WaitingChange,
  }),
  giveUp: defineOperation({
    subject: `${service}.platform.waiting.give-up`,
    access: { role: 'owner' },
    summary: 'Give up what waits in this service',
    request: { body: GiveUpWaiting },
    reply: WaitingChange,
  }),
});

export type WaitingOperations = ReturnType<typeof waitingOperationsOf>;

/**
 * What an operator sees beside what a store sees: answers of the AI, calendars that are to be read, and webhooks of
 * channels that are stored and not processed.
 */
export const operatorKinds = {
  ...waitingKinds,
  ai_turn: 'assistant',
  calendar_watch: 'scheduling',
  inbound_payload: 'messaging',
} as const;
export type OperatorKind = keyof typeof operatorKinds;
export type OperatorService = (typeof operatorKinds)[OperatorKind];

/** The kinds of an operator in the order that breaks ties of `since`. */
export const operatorKindsInOrder = (Object.keys(operatorKinds) as OperatorKind[]).sort();

export const OperatorKindWord = OneOf(operatorKindsInOrder, {
  title: 'OperatorKind',
  description:
    'As `WaitingKind`. `ai_turn`: a lead who waits for an answer of the AI. `calendar_watch`: a connected calendar whose ' +
    'next read is due, or whose last one failed. `inbound_payload`: a webhook of a channel that is not processed, or was given up.',
});

const kind = OperatorKindWord;

const OperatorItem = Type.Object({ ...WaitingItem.properties, kind });
/** Something that waits, as an operator sees it. */
export type OperatorItem = Static<typeof OperatorItem>;

/** The place of an item in the list of an operator. */
export const OperatorPlace = Exact({ ...WaitingPlace.properties, kind });
export type OperatorPlace = Static<typeof OperatorPlace>;

const operatorChoice = { ...choice, kind };
const RetryOperator = Exact(operatorChoice);
const GiveUpOperator = Exact({ ...operatorChoice, unknown_as: Type.Optional(UnknownOutcome) });

/** The most stores that one call names. */
export const maxWaitingStores = 1_000;

/** The same operations for the operator's command. They need no person, and accounts has the audit log. */
export const operatorWaitingOperationsOf = <const Service extends OperatorService>(service: Service) => ({
  stores: defineOperation({
    subject: `${service}.admin.waiting.stores`,
    access: 'platform',
    tenancy: 'none',
    summary: 'List the stores in which something may wait in this service',
    request: { body: Exact({ kind: Type.Optional(kind), after: NullableUuid }) },
    reply: Type.Object({
      store_ids: Type.Array(Uuid, { description: 'In their order. At most 1,000: send the last one as `after`.' }),
    }),
  }),
  list: defineOperation({
    subject: `${service}.admin.waiting.list`,
    access: 'platform',
    summary: 'List what waits of a store in this service, the oldest first',
    request: {
      body: Exact({
        kind: Type.Optional(kind),
        after: Type.Optional(OperatorPlace),
        limit: Type.Integer({ minimum: 1, maximum: 500 }),
      }),
    },
    reply: Type.Object({ data: Type.Array(OperatorItem) }),
  }),
  retry: defineOperation({
    subject: `${service}.admin.waiting.retry`,
    access: 'platform',
    summary: 'Make the next attempt of what waits of a store in this service now',
    request: { body: RetryOperator },
    reply: WaitingChange,
  }),
  giveUp: defineOperation({
    subject: `${service}.admin.waiting.give-up`,
    access: 'platform',
    summary: 'Give up what waits of a store in this service',
    request: { body: GiveUpOperator },
    reply: WaitingChange,
  }),
});

export type OperatorWaitingOperations = ReturnType<typeof operatorWaitingOperationsOf>;
