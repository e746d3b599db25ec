import { type Static, type TLiteral, Type } from '@sinclair/typebox';
import {
  About,
  Described,
  Exact,
  NextStep,
  Nullable,
  NullableText,
  NullableTimestamp,
  OneOf,
  Page,
  paging,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { int64 } from './feed.ts';
import { feedTypes, isUpdatedType } from './feed-catalogue.ts';
import { WebhookCreator, WebhookStatusWord } from './webhook-creator.ts';

/** The most webhook endpoints of a store. */
export const maxWebhookEndpoints = 50;

/** The most filters of a webhook endpoint. */
const maxWebhookFilters = 20;

/** How many tests of its endpoints a store may send in a minute. */
export const webhookTestsPerMinute = 20;

/** The type of the event that a test sends. It is not in the feed. */
export const webhookTestType = 'webhook.test';

/** The most deliveries of an endpoint that may run at once. */
export const maxInFlight = 20;

export const webhookDisabledReasons = ['gone', 'failing'] as const;
export type WebhookDisabledReason = (typeof webhookDisabledReasons)[number];

export const webhookOrderings = ['entity', 'none'] as const;
export const webhookPayloads = ['object', 'thin'] as const;

const Ordering = OneOf(webhookOrderings, {
  title: 'WebhookOrdering',
  description:
    '`entity`: the events of one resource are sent in their order, one after the other. An event that fails holds ' +
    'the later ones of its resource for at most an hour. `none`: in any order.',
});
const Payload = OneOf(webhookPayloads, {
  title: 'WebhookPayload',
  description: '`object`: with the resource in `data.object`. `thin`: only ids and states.',
});
const EventTypes = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: OneOf(feedTypes, { title: 'EventType', description: 'A type of event.' }),
  minItems: 1,
  maxItems: feedTypes.length,
  uniqueItems: true,
  description: 'Only events of these types are sent. Null: of every type, also those that are added later.',
});
const WebhookFilter = Exact(
  {
    type: OneOf(feedTypes.filter(isUpdatedType), {
      title: 'UpdatedEventType',
      description: 'The type of event that it selects from: one that tells what changed.',
    }),
    member: Type.String({
      minLength: 1,
      maxLength: 50,
      description:
        'The member of the resource that must have changed, such as `status`. `interaction_count` and `opted_out_at` of ' +
        'a lead change without an event, so a filter on them never matches.',
    }),
    value: Type.Optional(
      Type.Unknown({
        description:
          'The value that it must have now, as the API shows it: a text, a number, a boolean or null. Left out: any ' +
          'change of the member is sent.',
      }),
    ),
  },
  { title: 'WebhookFilter', description: 'Selects changes of one member.' },
);
export type WebhookFilter = Static<typeof WebhookFilter>;

const filterRule =
  'An event whose type has filters is sent only when one of them matches: its `member` changed, and has its `value` now. ' +
  'Types without a filter are sent as `event_types` says. An event that is too large to tell what changed is sent.';
const Filters = Type.Unsafe<WebhookFilter[] | null>({
  type: ['array', 'null'],
  items: WebhookFilter,
  minItems: 1,
  maxItems: maxWebhookFilters,
  description: `${filterRule} Null: no filters.`,
});
const InFlight = (options: { default?: number } = {}) =>
  Type.Integer({ ...options, minimum: 1, maximum: maxInFlight, description: 'How many deliveries may run at once.' });
const Url = Type.String({
  minLength: 1,
  maxLength: 2000,
  description:
    'Where events are sent: an `https` address with the port 443 or 8443, which does not lead into a private network.',
});
const Description = NullableText(500, { description: 'What the store’s own people say about it.' });

const Health = Type.Object(
  {
    last_success_at: About(NullableTimestamp, 'When it last accepted an event.'),
    failing_since: About(NullableTimestamp, 'When it began to fail. Null when the last delivery succeeded.'),
    next_attempt_at: About(
      NullableTimestamp,
      'When the next delivery is attempted, never in the past. Null when none waits.',
    ),
    pending: Type.Integer({
      description: 'How many events wait for the endpoint or are being sent, also those of a pause, up to 10,000.',
    }),
    oldest_pending_at: About(NullableTimestamp, 'When the oldest of them happened.'),
  },
  { title: 'WebhookHealth', description: 'How its deliveries go.' },
);

const endpointMembers = {
  id: About(Uuid, 'The id of the endpoint.'),
  url: Type.String({ description: 'Where events are sent.' }),
  description: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'What the store’s own people say about it.',
  }),
  event_types: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Only events of these types are sent. Null: of every type.',
  }),
  filters: Type.Unsafe<WebhookFilter[] | null>({
    type: ['array', 'null'],
    items: WebhookFilter,
    description: `${filterRule} Null: no filters.`,
  }),
  ordering: Ordering,
  payload: Payload,
  max_in_flight: Type.Integer({ description: 'How many deliveries may run at once.' }),
  status: WebhookStatusWord,
  disabled_reason: Nullable(
    OneOf(webhookDisabledReasons, {
      title: 'WebhookDisabledReason',
      description:
        'Why it is `disabled`: it answered 410 (`gone`), or everything failed for 120 hours (`failing`). Otherwise null.',
    }),
  ),
  public_key: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The ed25519 key `whpk_…` that verifies the signatures `v1a`. Null without `asymmetric`.',
  }),
  health: Health,
  created_by: Type.Optional(Nullable(WebhookCreator, { description: 'Who created it. Null: it is not known.' })),
  created_at: About(Timestamp, 'When it was created.'),
  updated_at: About(Timestamp, 'When its settings or its status last changed.'),
};

export const WebhookEndpoint = Type.Object(endpointMembers, {
  title: 'WebhookEndpoint',
  description: 'An address to which the events of the store are sent.',
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

const Secret = Type.String({
  description: 'The secret `whsec_…` that verifies signatures. It is shown only here: keep it.',
});

const CreatedEndpoint = Type.Object(
  { ...endpointMembers, secret: Secret },
  { title: 'CreatedWebhookEndpoint', description: 'A new endpoint, with its secret.' },
);

const endpointParams = Exact({ endpointId: About(Uuid, 'The id of the endpoint.') });

const settings = {
  description: Type.Optional(Description),
  event_types: Type.Optional(EventTypes),
  filters: Type.Optional(Filters),
};

export const createWebhookEndpoint = defineOperation({
  subject: 'events.api.webhook-endpoints.create',
  http: { method: 'POST', path: '/webhooks/endpoints', status: 201, versioned: true },
  access: { scope: 'webhooks:write' },
  summary: 'Create a webhook endpoint',
  description:
    'Events from now on are sent to `url`, each signed as in Standard Webhooks. The answer has the `secret`, which ' +
    `is not shown again. A store has at most ${maxWebhookEndpoints} endpoints.`,
  extension: true,
  request: {
    body: Exact(
      {
        url: Url,
        ...settings,
        ordering: Type.Optional(Described(Ordering, { default: 'entity' })),
        payload: Type.Optional(Described(Payload, { default: 'object' })),
        max_in_flight: Type.Optional(InFlight({ default: 5 })),
        asymmetric: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Whether events also have a signature `v1a`, which `public_key` verifies.',
          }),
        ),
      },
      { description: 'A new endpoint.' },
    ),
  },
  reply: CreatedEndpoint,
  errors: ['webhook_endpoint_limit'],
});

export const listWebhookEndpoints = defineOperation({
  subject: 'events.api.webhook-endpoints.list',
  http: { method: 'GET', path: '/webhooks/endpoints' },
  access: { scope: 'webhooks:read' },
  summary: 'List webhook endpoints',
  extension: true,
  request: { query: Exact(paging()) },
  reply: Page(WebhookEndpoint),
});

export const getWebhookEndpoint = defineOperation({
  subject: 'events.api.webhook-endpoints.get',
  http: { method: 'GET', path: '/webhooks/endpoints/:endpointId', versioned: true },
  access: { scope: 'webhooks:read' },
  summary: 'Read a webhook endpoint',
  extension: true,
  request: { params: endpointParams },
  reply: WebhookEndpoint,
  errors: ['webhook_endpoint_not_found'],
});

export const updateWebhookEndpoint = defineOperation({
  subject: 'events.api.webhook-endpoints.update',
  http: { method: 'PATCH', path: '/webhooks/endpoints/:endpointId', versioned: true },
  access: { scope: 'webhooks:write' },
  summary: 'Change a webhook endpoint',
  description:
    'Send at least one member; members left out stay as they are. `status: "paused"` stops deliveries, and ' +
    '`status: "enabled"` resumes them, also after the endpoint was disabled: from where they stopped, with ' +
    'what was given up while it failed, or from `resume_from`. Deliveries that wait for an event before ' +
    '`resume_from` are cancelled, and later events are sent, also those that were sent before.',
  extension: true,
  request: {
    params: endpointParams,
    body: Exact(
      {
        url: Type.Optional(Url),
        ...settings,
        ordering: Type.Optional(Ordering),
        payload: Type.Optional(Payload),
        max_in_flight: Type.Optional(InFlight()),
        status: Type.Optional(
          OneOf(['enabled', 'paused'], {
            title: 'WebhookEndpointSwitch',
            description: 'Resumes or stops the deliveries.',
          }),
        ),
        resume_from: Type.Optional(
          Type.Integer({
            ...int64,
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'With `status: "enabled"`: the `sequence` of the first event to send.',
          }),
        ),
      },
      { minProperties: 1, description: 'At least one member. Members left out stay as they are.' },
    ),
  },
  reply: WebhookEndpoint,
  errors: ['webhook_endpoint_not_found', 'version_mismatch', 'cursor_expired'],
});

export const deleteWebhookEndpoint = defineOperation({
  subject: 'events.api.webhook-endpoints.delete',
  http: { method: 'DELETE', path: '/webhooks/endpoints/:endpointId', versioned: true },
  access: { scope: 'webhooks:write' },
  summary: 'Delete a webhook endpoint',
  description: 'Its deliveries and their log are deleted too. A delivery that is running ends without a retry.',
  extension: true,
  request: { params: endpointParams },
  reply: Type.Object(
    { deleted: Type.Literal(true) as TLiteral<true>, id: About(Uuid, 'The id of the deleted endpoint.') },
    { description: 'The endpoint is deleted.' },
  ),
  errors: ['webhook_endpoint_not_found', 'version_mismatch'],
});

/** How long a rotated secret stays valid, unless the request says otherwise. */
export const defaultOverlapHours = 24;

export const rotateWebhookSecret = defineOperation({
  subject: 'events.api.webhook-endpoints.rotate',
  http: { method: 'POST', path: '/webhooks/endpoints/:endpointId/secret/rotate' },
  access: { scope: 'webhooks:write' },
  summary: 'Replace the secret of a webhook endpoint',
  description:
    'Makes a new secret. For `overlap_hours` events are signed with both the new and the previous secret, so that ' +
    'the receiver can change it without losing an event. With `asymmetric` the key pair is replaced in the same way.',
  extension: true,
  request: {
    params: endpointParams,
    body: Exact(
      {
        overlap_hours: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 168,
            default: defaultOverlapHours,
            description: 'How long the previous secret stays valid. 0: not at all.',
          }),
        ),
      },
      { description: 'How long the previous secret stays valid.' },
    ),
  },
  reply: Type.Object(
    {
      id: About(Uuid, 'The id of the endpoint.'),
      secret: Secret,
      public_key: endpointMembers.public_key,
      previous_valid_until: About(Timestamp, 'Until when events are also signed with the previous secret.'),
    },
    { title: 'WebhookSecret', description: 'The new secret of an endpoint.' },
  ),
  errors: ['webhook_endpoint_not_found'],
});

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
const DeliveryStatusWord = OneOf(deliveryStatuses, {
  title: 'WebhookDeliveryStatus',
  description:
    '`pending`: it waits or runs. `succeeded`: the endpoint answered 2xx. `failed`: it was given up. `cancelled`: ' +
    'a request ended it. The last three are final until a retry or a replay.',
});

const Attempt = Type.Object(
  {
    number: Type.Integer({ description: 'The number of the attempt, from 1.' }),
    started_at: About(Timestamp, 'When it began.'),
    duration_ms: Type.Integer({ description: 'How long it took.' }),
    response_status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The HTTP status of the answer. Null without an answer.',
    }),
    response_body: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The first 4 KiB of the answer, kept for 7 days.',
    }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description:
        'Why it failed: `http_<status>`, `redirect`, `timeout`, `connection_failed`, `dns_failed`, `tls_failed`, ' +
        '`address_refused` or `internal_error`. Null when it succeeded.',
    }),
  },
  { title: 'WebhookAttempt', description: 'One request to the endpoint.' },
);

const deliveryMembers = {
  id: About(Uuid, 'The id of the delivery.'),
  endpoint_id: About(Uuid, 'The endpoint.'),
  event_id: About(Uuid, 'The event. Its id is the header `webhook-id` of every attempt.'),
  event_type: Type.String({ description: 'The type of the event.' }),
  sequence: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    ...int64,
    description: 'The number of the event in the feed. Null for a test.',
  }),
  status: DeliveryStatusWord,
  attempts: Type.Integer({ description: 'How many attempts began, in all rounds.' }),
  next_attempt_at: About(
    NullableTimestamp,
    'When the next attempt is due, never in the past. Null when none is, as while the endpoint is not `enabled`.',
  ),
  error: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Why the last attempt failed, or why the delivery ended. Null when it succeeded.',
  }),
  replay_id: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'uuid',
    description: 'The replay that last asked for it.',
  }),
  created_at: About(Timestamp, 'When it was created.'),
  completed_at: About(NullableTimestamp, 'When it became final. Null while it is `pending`.'),
};

export const WebhookDelivery = Type.Object(deliveryMembers, {
  title: 'WebhookDelivery',
  description: 'One event on its way to one endpoint.',
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const DeliveryWithLog = Type.Object(
  {
    ...deliveryMembers,
    log: Type.Array(Attempt, { description: 'Its attempts of the last 30 days, the newest first, at most 100.' }),
  },
  { title: 'WebhookDeliveryLog', description: 'A delivery with its attempts.' },
);

export const testWebhookEndpoint = defineOperation({
  subject: 'events.api.webhook-endpoints.test',
  http: { method: 'POST', path: '/webhooks/endpoints/:endpointId/test' },
  access: { scope: 'webhooks:write' },
  summary: 'Send a test event',
  description:
    'Sends one event of the type `webhook.test`, at once and without retries. The answer is its delivery: read it ' +
    `again to see what the endpoint answered. A store may send ${webhookTestsPerMinute} tests a minute; then the answer ` +
    'is 429 `quota_exceeded` with `Retry-After`.',
  extension: true,
  request: { params: endpointParams },
  reply: WebhookDelivery,
  errors: ['webhook_endpoint_not_found', 'webhook_endpoint_not_enabled'],
});

export const listWebhookDeliveries = defineOperation({
  subject: 'events.api.webhook-deliveries.list',
  http: { method: 'GET', path: '/webhooks/endpoints/:endpointId/deliveries' },
  access: { scope: 'webhooks:read' },
  summary: 'List the deliveries of a webhook endpoint',
  description: 'The newest first. Final ones are kept for 30 days.',
  extension: true,
  request: {
    params: endpointParams,
    query: Exact({ status: Type.Optional(DeliveryStatusWord), ...paging() }),
  },
  reply: Page(WebhookDelivery),
  errors: ['webhook_endpoint_not_found'],
});

const deliveryParams = Exact({
  endpointId: About(Uuid, 'The id of the endpoint.'),
  deliveryId: About(Uuid, 'The id of the delivery.'),
});

export const getWebhookDelivery = defineOperation({
  subject: 'events.api.webhook-deliveries.get',
  http: { method: 'GET', path: '/webhooks/endpoints/:endpointId/deliveries/:deliveryId' },
  access: { scope: 'webhooks:read' },
  summary: 'Read a delivery and its attempts',
  extension: true,
  request: { params: deliveryParams },
  reply: DeliveryWithLog,
  errors: ['webhook_endpoint_not_found', 'webhook_delivery_not_found'],
});

export const retryWebhookDelivery = defineOperation({
  subject: 'events.api.webhook-deliveries.retry',
  http: { method: 'POST', path: '/webhooks/endpoints/:endpointId/deliveries/:deliveryId/retry' },
  access: { scope: 'webhooks:write' },
  summary: 'Send a delivery again',
  description:
    'The next attempt is due at once, and the retries begin again. Also for a delivery that succeeded. The event and ' +
    'its `webhook-id` stay the same.',
  extension: true,
  request: { params: deliveryParams },
  reply: WebhookDelivery,
  errors: [
    'webhook_endpoint_not_found',
    'webhook_delivery_not_found',
    'webhook_endpoint_not_enabled',
    'event_not_found',
  ],
});

const Sequence = (description: string) =>
  Type.Integer({ ...int64, minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

const ReplayOnly = OneOf(['failed', 'all'], {
  title: 'WebhookReplayOnly',
  description: '`failed`: only what was given up or cancelled. `all`: also what was delivered or never sent.',
});

export const WebhookReplay = Type.Object(
  {
    id: About(Uuid, 'The id of the replay.'),
    endpoint_id: About(Uuid, 'The endpoint.'),
    status: OneOf(['running', 'done', 'cancelled'], {
      title: 'WebhookReplayStatus',
      description: '`running`: deliveries are made or wait. `done`: all are final. `cancelled`: by a request.',
    }),
    only: ReplayOnly,
    from_sequence: Type.Integer({ ...int64, description: 'The `sequence` of its first event.' }),
    to_sequence: Type.Integer({ ...int64, description: 'The `sequence` of its last event.' }),
    types: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Only events of these types. Null: of those that the endpoint gets.',
    }),
    looked_through: Type.Integer({ ...int64, description: 'The `sequence` up to which events were chosen.' }),
    deliveries: Type.Object(
      {
        total: Type.Integer({ description: 'How many events were chosen so far.' }),
        pending: Type.Integer({ description: 'How many of them wait or run.' }),
        succeeded: Type.Integer({ description: 'How many of them were delivered.' }),
        failed: Type.Integer({ description: 'How many of them were given up or cancelled.' }),
      },
      { title: 'WebhookReplayProgress', description: 'What became of the deliveries so far.' },
    ),
    created_at: About(Timestamp, 'When it was created.'),
    ended_at: About(NullableTimestamp, 'When it was done or cancelled.'),
  },
  { title: 'WebhookReplay', description: 'Events that are sent to an endpoint again.' },
);
export type WebhookReplay = Static<typeof WebhookReplay>;

export const createWebhookReplay = defineOperation({
  subject: 'events.api.webhook-replays.create',
  http: { method: 'POST', path: '/webhooks/endpoints/:endpointId/replays', status: 202, located: true },
  access: { scope: 'webhooks:write' },
  summary: 'Send events again',
  description:
    'Sends the events of a part of the feed again, in their order and with their `webhook-id`: those whose delivery ' +
    'failed (`only: "failed"`), or all. There is no limit to their number. Read the replay to see how far it is.',
  extension: true,
  request: {
    params: endpointParams,
    body: Exact(
      {
        from_sequence: Type.Optional(Sequence('The first event. Default: the oldest that the feed has.')),
        to_sequence: Type.Optional(Sequence('The last event. Default: the newest.')),
        types: Type.Optional(EventTypes),
        only: ReplayOnly,
      },
      { description: 'Which events to send again.' },
    ),
  },
  reply: WebhookReplay,
  errors: ['webhook_endpoint_not_found', 'webhook_endpoint_not_enabled', 'cursor_expired'],
});

const replayParams = Exact({
  endpointId: About(Uuid, 'The id of the endpoint.'),
  replayId: About(Uuid, 'The id of the replay.'),
});

export const getWebhookReplay = defineOperation({
  subject: 'events.api.webhook-replays.get',
  http: { method: 'GET', path: '/webhooks/endpoints/:endpointId/replays/:replayId' },
  access: { scope: 'webhooks:read' },
  summary: 'Read the progress of a replay',
  extension: true,
  request: { params: replayParams },
  reply: WebhookReplay,
  errors: ['webhook_endpoint_not_found', 'webhook_replay_not_found'],
});

export const cancelWebhookReplay = defineOperation({
  subject: 'events.api.webhook-replays.cancel',
  http: { method: 'DELETE', path: '/webhooks/endpoints/:endpointId/replays/:replayId' },
  access: { scope: 'webhooks:write' },
  summary: 'Cancel a replay',
  description: 'Its deliveries that wait are cancelled. A replay that is done stays as it is.',
  extension: true,
  request: { params: replayParams },
  reply: WebhookReplay,
  errors: ['webhook_endpoint_not_found', 'webhook_replay_not_found'],
});

/** Sends what is due to an endpoint. Safe to repeat at any time. */
export const drainWebhook = defineOperation({
  subject: 'events.step.webhooks.drain',
  summary: 'Send what is due to a webhook endpoint',
  request: { body: Exact({ endpoint_id: Uuid }) },
  reply: NextStep,
});

export const webhookOperations = {
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  listWebhookDeliveries,
  getWebhookDelivery,
  retryWebhookDelivery,
  createWebhookReplay,
  getWebhookReplay,
  cancelWebhookReplay,
  drainWebhook,
} as const;
