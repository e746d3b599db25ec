import { type Static, Type } from '@sinclair/typebox';
import {
  Done,
  Exact,
  NextStep,
  NullableString,
  NullableTimestamp,
  OneOf,
  Page,
  Phone,
  paging,
  Text,
  Timestamp,
  Uuid,
} from './common.ts';
import { defineOperation } from './operation.ts';
import { messagingReportOperations } from './reports.ts';

export const channelProviders = ['whatsapp_cloud', 'sandbox'] as const;
const ChannelStatus = OneOf(['not_connected', 'connected', 'needs_attention']);
const NullableChannelProvider = Type.Unsafe<(typeof channelProviders)[number] | null>({
  type: ['string', 'null'],
  enum: [...channelProviders, null],
});

export const ChannelConnection = Type.Object({
  provider: NullableChannelProvider,
  status: ChannelStatus,
  phone: NullableString,
});
export type ChannelConnection = Static<typeof ChannelConnection>;

/** What `GET /store` shows of the channel. */
export const getChannelConnection = defineOperation({
  subject: 'messaging.internal.channels.get',
  summary: "Read the state of the store's messaging channel",
  request: {},
  reply: ChannelConnection,
});

/* ---- messages ---- */

export const messageDirections = ['inbound', 'outbound'] as const;
/** Who wrote it. `ai` and `followup` stop for a lead that has opted out. */
export const messageSources = ['lead', 'ai', 'seller', 'api', 'followup'] as const;
/**
 * Inbound: `received`. Outbound moves forward only, in whatever order the provider reports: `queued`, `sending`,
 * `unknown` (the answer was lost: it may or may not have been sent), `sent`, `delivered`, `read`, or `failed`.
 */
export const messageStatuses = [
  'received',
  'queued',
  'sending',
  'unknown',
  'sent',
  'delivered',
  'read',
  'failed',
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** Why a message failed: a code of the catalogue or of the channel, and what it means. */
const NullableMessageError = Type.Unsafe<{ code: string; detail: string } | null>({
  type: ['object', 'null'],
  properties: { code: { type: 'string' }, detail: { type: 'string' } },
  required: ['code', 'detail'],
});

export const Message = Type.Object(
  {
    id: Uuid,
    lead_id: Uuid,
    session_id: Uuid,
    direction: OneOf(messageDirections),
    source: OneOf(messageSources),
    body: Type.String(),
    status: OneOf(messageStatuses),
    error: NullableMessageError,
    provider_message_id: NullableString,
    created_at: Timestamp,
    sent_at: NullableTimestamp,
    delivered_at: NullableTimestamp,
    read_at: NullableTimestamp,
  },
  { title: 'Message' },
);
export type Message = Static<typeof Message>;

const leadParams = Exact({ leadId: Uuid });

export const sendMessage = defineOperation({
  subject: 'messaging.api.messages.send',
  summary: 'Send a text message to a lead',
  description:
    'Everything that can be refused is refused before the message is accepted. After that the answer is 200: `sent` is ' +
    'true when the channel took it within the wait (5 s unless the store has its own), false while it is durably queued, ' +
    'and false with `status: "failed"` when the channel refused it. Messages to one lead leave in the order in which ' +
    'they were accepted, each at most once.',
  request: { params: leadParams, body: Exact({ message: Text(4096) }) },
  reply: Type.Object({
    sent: Type.Boolean(),
    id: Uuid,
    status: OneOf(messageStatuses),
    error: NullableMessageError,
  }),
  errors: ['lead_not_found', 'channel_not_connected', 'messaging_window_closed', 'lead_opted_out'],
});

export const listMessages = defineOperation({
  subject: 'messaging.api.messages.list',
  summary: "List a lead's messages",
  description: 'Newest first, in both directions.',
  extension: true,
  request: { params: leadParams, query: Exact({ ...paging() }) },
  reply: Page(Message),
  errors: ['lead_not_found'],
});

export const getMessage = defineOperation({
  subject: 'messaging.api.messages.get',
  summary: 'Read what became of a message',
  extension: true,
  request: { params: Exact({ leadId: Uuid, messageId: Uuid }) },
  reply: Message,
  errors: ['message_not_found'],
});

/** A message that the channel has approved beforehand, and takes at any time. */
export const MessageTemplate = Exact(
  {
    name: Text(512),
    language: Text(20),
    components: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 20 })),
  },
  { title: 'MessageTemplate' },
);
export type MessageTemplate = Static<typeof MessageTemplate>;

/** A message of another service, such as a follow-up: the same acceptance, once per `id`. */
export const acceptMessage = defineOperation({
  subject: 'messaging.internal.messages.accept',
  summary: 'Accept a message for a lead, once for its id',
  request: {
    body: Exact({
      id: Uuid,
      lead_id: Uuid,
      source: OneOf(['ai', 'seller', 'followup']),
      message: Text(4096),
      /** Sent in place of the text when the reply window is closed. */
      template: Type.Optional(MessageTemplate),
      /** Refused as `lead_replied` when anything inbound came after this moment. */
      unless_reply_after: Type.Optional(Timestamp),
      /** The answer waits up to this long, in milliseconds, for what becomes of the message; not at all unless said. */
      wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 5_000 })),
    }),
  },
  reply: Type.Object({ id: Uuid, status: OneOf(messageStatuses), error: NullableMessageError }),
  errors: ['channel_not_connected', 'messaging_window_closed', 'lead_opted_out', 'lead_replied'],
});

/** Sends what is due of a lead's queue, in order: up to 20 messages or 5 s of them. Safe to repeat at any moment. */
export const deliverMessages = defineOperation({
  subject: 'messaging.step.messages.deliver',
  summary: "Send what is due of a lead's queue",
  request: { body: Exact({ lead_id: Uuid }) },
  reply: NextStep,
});

/** A person says what became of a message whose outcome is unknown. */
export const settleMessage = defineOperation({
  subject: 'messaging.admin.messages.settle',
  summary: 'Settle a message whose outcome is unknown',
  request: { body: Exact({ message_id: Uuid, status: OneOf(['sent', 'failed']) }) },
  reply: Message,
  errors: ['message_not_found', 'message_not_unknown'],
});

/* ---- sessions ---- */

export const sessionStatuses = ['active', 'ended'] as const;
export const Session = Type.Object(
  {
    id: Uuid,
    lead_id: Uuid,
    status: OneOf(sessionStatuses),
    started_at: Timestamp,
    ended_at: NullableTimestamp,
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

export const listSessions = defineOperation({
  subject: 'messaging.api.sessions.list',
  summary: "List a lead's sessions",
  description: 'All of them, in chronological order.',
  request: { params: leadParams },
  reply: Type.Array(Session),
  errors: ['lead_not_found'],
});

export const closeSession = defineOperation({
  subject: 'messaging.api.sessions.close',
  summary: 'End a session',
  description: 'A session that has ended stays as it is. The next message opens a new one.',
  extension: true,
  request: { params: Exact({ leadId: Uuid, sessionId: Uuid }) },
  reply: Session,
  errors: ['session_not_found'],
});

/* ---- channels ---- */

export const verifyWebhook = defineOperation({
  subject: 'messaging.api.webhooks.verify',
  tenancy: 'none',
  summary: "Answer the channel's challenge when its webhook is set up",
  request: { body: Exact({ channel_id: Uuid, verify_token: Type.String({ maxLength: 1000 }) }) },
  reply: Done,
  errors: ['webhook_refused'],
});

/** The raw bytes, as their signature is over them; stored before the answer, processed after it. */
export const receiveWebhook = defineOperation({
  subject: 'messaging.api.webhooks.receive',
  tenancy: 'none',
  summary: 'Take in what the channel reports',
  request: {
    body: Exact({
      channel_id: Uuid,
      signature: Type.String({ maxLength: 200, description: 'The `X-Hub-Signature-256` header.' }),
      payload_base64: Type.String({ maxLength: 4_400_000 }),
    }),
  },
  reply: Done,
  errors: ['webhook_refused'],
});

const SandboxToken = Type.String({ minLength: 20, maxLength: 100 });

/** A customer writes on the sandbox's telephone. The token in the page's address is the only credential. */
export const receiveSandboxMessage = defineOperation({
  subject: 'messaging.api.sandbox.receive',
  tenancy: 'none',
  summary: "Write to the store on the sandbox's telephone",
  request: { body: Exact({ token: SandboxToken, customer_phone: Phone, name: Text(200), text: Text(4096) }) },
  reply: Done,
  errors: ['sandbox_not_found'],
});

/** What the telephone shows: the conversation as the customer sees it. */
export const readSandboxConversation = defineOperation({
  subject: 'messaging.api.sandbox.read',
  tenancy: 'none',
  summary: "Read the conversation on the sandbox's telephone",
  request: { body: Exact({ token: SandboxToken, customer_phone: Phone }) },
  reply: Type.Object({
    store_phone: Type.String(),
    messages: Type.Array(
      Type.Object({ id: Uuid, direction: OneOf(messageDirections), text: Type.String(), at: Timestamp }),
    ),
  }),
  errors: ['sandbox_not_found'],
});

const RateSettings = {
  /** Messages a second for the whole number. */
  number_rate: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  /** Seconds between two messages to one lead, once the burst is used up. */
  pair_interval_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3600 })),
  pair_burst: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
};

export const connectChannel = defineOperation({
  subject: 'messaging.admin.channels.connect',
  summary: "Connect the store's messaging channel, replacing what was connected",
  request: {
    body: Exact({
      provider: OneOf(channelProviders),
      phone_number_id: Type.Optional(Type.String({ pattern: '^[0-9]{5,30}$' })),
      phone: Type.Optional(Phone),
      api_url: Type.Optional(Type.String({ format: 'uri', maxLength: 500 })),
      ...RateSettings,
      secrets: Type.Optional(
        Exact({
          access_token: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
          app_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
          verify_token: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
        }),
      ),
    }),
  },
  reply: Type.Object({
    channel_id: Uuid,
    provider: OneOf(channelProviders),
    webhook_url: NullableString,
    /** sandbox: the secret address of the telephone, shown this once. */
    sandbox_url: NullableString,
  }),
});

export const disconnectChannel = defineOperation({
  subject: 'messaging.admin.channels.disconnect',
  summary: "Disconnect the store's messaging channel and forget its credentials",
  request: {},
  reply: Done,
  errors: ['channel_not_connected'],
});

export const showChannel = defineOperation({
  subject: 'messaging.admin.channels.show',
  summary: "Show the store's messaging channel",
  request: {},
  reply: Type.Object({
    channel_id: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    provider: NullableChannelProvider,
    status: ChannelStatus,
    phone: NullableString,
    phone_number_id: NullableString,
    webhook_url: NullableString,
    last_error: NullableString,
    connected_at: NullableTimestamp,
    messages_queued: Type.Integer(),
    messages_unknown: Type.Integer(),
  }),
});

/** What a store has set for its messaging; read and written whole. */
export const MessagingSettings = Type.Object({
  message_wait_seconds: Type.Number(),
  session_idle_hours: Type.Number(),
});

export const updateMessagingSettings = defineOperation({
  subject: 'messaging.admin.settings.update',
  summary: 'Change how long a request waits for the channel, and when a session ends',
  request: {
    body: Exact(
      {
        message_wait_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 8 })),
        session_idle_hours: Type.Optional(Type.Number({ minimum: 0.01, maximum: 720 })),
      },
      { minProperties: 1 },
    ),
  },
  reply: MessagingSettings,
});

export const messagingOperations = {
  getChannelConnection,
  sendMessage,
  listMessages,
  getMessage,
  acceptMessage,
  deliverMessages,
  settleMessage,
  listSessions,
  closeSession,
  verifyWebhook,
  receiveWebhook,
  receiveSandboxMessage,
  readSandboxConversation,
  connectChannel,
  disconnectChannel,
  showChannel,
  updateMessagingSettings,
  ...messagingReportOperations,
} as const;
