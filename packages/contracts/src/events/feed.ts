import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Described,
  Exact,
  MapOf,
  maxPageSize,
  Nullable,
  OneOf,
  Several,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { feedEntities, feedTypes } from './feed-catalogue.ts';

/** For how many days the feed keeps an event. */
export const feedRetentionDays = 30;

/** A number in the feed, or a version. After a restore it has more than 32 bits. */
export const int64 = { format: 'int64' } as const;

/** How long a request may wait for the next event, in seconds. */
export const maxFeedWaitSeconds = 20;

const NullableWord = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

export const eventActorKinds = ['api_key', 'user', 'agent', 'channel', 'system'] as const;

export const EventActor = Type.Object(
  {
    kind: OneOf(eventActorKinds, {
      title: 'EventActorKind',
      description:
        '`api_key`: a program with a key. `user`: a person of the store. `agent`: an agent that answers by itself. ' +
        '`channel`: the customer, through the channel, or the channel itself. `system`: the server, such as when a ' +
        'follow-up is due, or its operator.',
    }),
    id: NullableWord(
      'The id of the key, the person, the agent or the channel. Null for `system`, and for an answer to a reminder.',
    ),
  },
  { title: 'EventActor', description: 'Who caused an event.' },
);
export type EventActor = Static<typeof EventActor>;

const EventEntity = Type.Object(
  {
    type: Type.String({
      description: `The kind of resource: ${feedEntities.map((word) => `\`${word}\``).join(', ')}.`,
    }),
    id: About(Uuid, 'The id of the resource. A conversation has the id of its lead, but versions of its own.'),
    version: Type.Integer({
      ...int64,
      description: 'Rises with every event of the resource, with gaps. An event with a lower version is older.',
    }),
    etag: NullableWord(
      'The `ETag` of the resource, as `GET` answered it then. Send it as `If-Match`, and the change is made only if ' +
        'the resource has not changed since. Null for a resource without an ETag, and in events of older versions.',
    ),
  },
  { title: 'EventEntity', description: 'The resource that the event is about.' },
);

const EventPrevious = MapOf(Type.Unknown(), {
  title: 'EventPrevious',
  description: 'The members of a resource that changed, with the values that they had before.',
});

/** An event as the feed, the stream and webhooks show it. */
export const Event = Type.Object(
  {
    id: About(Uuid, 'The id of the event: the same wherever and however often it is delivered.'),
    type: Type.String({ description: 'What happened, such as `appointment.created`. New types are added over time.' }),
    created_at: About(Timestamp, 'When it happened.'),
    sequence: Type.Integer({
      ...int64,
      description:
        'The number of the event in the feed of the store: from 1, without gaps. After a restore of the server the feed ' +
        'restarts, at a much higher number.',
    }),
    store_id: About(Uuid, 'The store.'),
    entity: EventEntity,
    actor: Nullable(EventActor, { description: 'Who caused it. Null: not known, as in events of older versions.' }),
    request_id: NullableWord(
      'The `X-Request-Id` of the request to the API that caused it. Null when no such request did, and in events of ' +
        'older versions.',
    ),
    previous: Nullable(EventPrevious, {
      description:
        'Of the types `*.updated`: the members of the resource that changed, with the values that they had before, ' +
        'except `updated_at`. With the payload `thin` only those that `data` has. Null for all other types, when the ' +
        'event would exceed 20 KiB, and in events of older versions.',
    }),
    data: MapOf(Type.Unknown(), {
      description:
        'Ids and states, and mostly `object`: the resource as the API shows it, as it was when the event happened. The ' +
        'section `webhooks` of this document has the schema of each type.',
    }),
  },
  { title: 'Event', description: 'Something that happened in the store.' },
);
export type Event = Static<typeof Event>;

export const feedFilters = {
  types: Type.Optional(
    Several(OneOf(feedTypes, { title: 'EventType', description: 'A type of event.' }), feedTypes.join('|'), {
      maxLength: 2000,
      description: 'One or several types of events, separated by commas.',
    }),
  ),
  entity_id: Type.Optional(About(Uuid, 'Only events of this resource.')),
};

/**
 * A page of the feed. With filters a page may be empty although more events follow: it ends after the events that were
 * looked through. `next` is always what to send as `after`.
 *
 * Errors: `cursor_expired` when the event after `after` is no longer kept, or when the feed never had `after`.
 */
export const listEvents = defineOperation({
  subject: 'events.api.events.list',
  http: { method: 'GET', path: '/events', follows: true },
  access: { scope: 'events:read' },
  summary: 'Read the event feed',
  description:
    'The events after `after`, in order. Send `next` as the next `after`: no event is skipped, and none comes twice. ' +
    'With `wait` the request waits for an event when there is none. `after=0` begins with the oldest event, and ' +
    '`after=-1` with the events to come. The feed keeps events for 30 days. `order=desc` answers a sample instead: the ' +
    'newest events, newest first.',
  extension: true,
  request: {
    query: Exact({
      after: Type.Optional(
        Type.Integer({
          ...int64,
          minimum: -1,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          description: 'The `next` of the previous answer. 0: from the oldest event. -1: from now on.',
        }),
      ),
      ...feedFilters,
      order: Type.Optional(
        Described(
          OneOf(['asc', 'desc'], {
            title: 'EventOrder',
            description:
              '`asc`: to follow the feed. `desc`: a sample of the newest events, newest first, among the newest 10,000 ' +
              'of the feed. It has no further pages, and cannot be combined with `after` and `wait`. `next` is then ' +
              'behind the newest event, so a reader can follow from there.',
          }),
          { default: 'asc' },
        ),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: maxPageSize, default: 50, description: 'Events per answer.' }),
      ),
      wait: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: maxFeedWaitSeconds,
          default: 0,
          description: 'How many seconds to wait for an event when there is none.',
        }),
      ),
    }),
  },
  reply: Type.Object(
    {
      data: Type.Array(Event, { description: 'The events, in the order that was asked for.' }),
      next: Type.Integer({
        ...int64,
        description:
          'What to send as `after` next, also when `data` is empty. 0 only when the feed never had an event: its first ' +
          'one has the `sequence` 1, unless events are missing.',
      }),
    },
    { description: 'Events of the feed, and where to go on.' },
  ),
  errors: ['cursor_expired'],
});

export const getEvent = defineOperation({
  subject: 'events.api.events.get',
  http: { method: 'GET', path: '/events/:eventId' },
  access: { scope: 'events:read' },
  summary: 'Read an event',
  extension: true,
  request: { params: Exact({ eventId: About(Uuid, 'The id of the event.') }) },
  reply: Event,
  errors: ['event_not_found'],
});

/** The most entries of one `appendEvents`. */
export const maxAppendedEvents = 200;

/** An event on its way from the service where it happened into the feed. */
export const FeedEntry = Exact({
  id: Uuid,
  store_id: Uuid,
  type: Type.String({ minLength: 1, maxLength: 100 }),
  entity: Exact({
    type: Type.String({ minLength: 1, maxLength: 50 }),
    id: Uuid,
    version: Type.Integer({ minimum: 1 }),
    etag: Type.Optional(NullableWord('As in `Event`.')),
  }),
  created_at: Timestamp,
  actor: Type.Optional(Nullable(EventActor)),
  request_id: Type.Optional(NullableWord('As in `Event`.')),
  previous: Type.Optional(Nullable(EventPrevious)),
  data: MapOf(Type.Unknown()),
});
export type FeedEntry = Static<typeof FeedEntry>;

/**
 * Appends events to the feeds of their stores, in the given order. Idempotent by event id: an event that the feed has is
 * left as it is. All or nothing: after the reply, every entry is in the feed.
 */
export const appendEvents = defineOperation({
  subject: 'events.internal.feed.append',
  access: 'platform',
  tenancy: 'none',
  summary: 'Append events to the feeds of their stores',
  request: { body: Exact({ entries: Type.Array(FeedEntry, { minItems: 1, maxItems: maxAppendedEvents }) }) },
  reply: Type.Object({ appended: Type.Integer() }),
});

/** The events service publishes here, without a guarantee, that feeds have grown. */
export const feedNoticeSubject = 'events.notice.appended';

/** The stores whose feeds have grown, each with its newest sequence. */
export type FeedNotice = Readonly<Record<string, number>>;
