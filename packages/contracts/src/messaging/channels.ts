import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  ConnectionStatus,
  Done,
  Exact,
  Failure,
  Matching,
  Nullable,
  NullableConnectionReason,
  NullableString,
  NullableTimestamp,
  NullableWaitReason,
  OneOf,
  Phone,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { ChannelNumber } from './channel-number.ts';

export const channelProviders = ['whatsapp_cloud', 'sandbox'] as const;

const ChannelProvider = OneOf(channelProviders, {
  title: 'ChannelProvider',
  description: '`whatsapp_cloud`: WhatsApp. `sandbox`: a telephone in the browser, for trying.',
});
const NullableChannelProvider = Nullable(ChannelProvider);

export const ChannelConnection = Type.Object(
  {
    provider: NullableChannelProvider,
    status: ConnectionStatus,
    phone: About(NullableString, 'The store’s number on the channel, digits only.'),
    /** Only of `degraded` and `needs_attention`. */
    reason: Type.Optional(NullableConnectionReason),
  },
  { title: 'ChannelConnection', description: 'The messaging channel of the store. Without one, `provider` is null.' },
);
export type ChannelConnection = Static<typeof ChannelConnection>;

/** The month of a budget. */
const BudgetMonth = Type.String({ description: 'The month in UTC, such as `2026-11`.' });

export const MessageBudget = Type.Object(
  {
    amount: Type.Number({ description: 'What the messages of the month may cost.' }),
    spent: Type.Number({
      description: 'What they take of it: the price of each, or what was expected of it while its price is not known.',
    }),
    currency: About(NullableString, 'The currency of both (ISO 4217). Null: the server has no rate file any more.'),
    month: BudgetMonth,
  },
  { title: 'MessageBudget', description: 'The budget for the messages of this month.' },
);
export type MessageBudget = Static<typeof MessageBudget>;

/** What `GET /store` shows of messaging: the channel, its budget, and a setting. */
export const getChannelConnection = defineOperation({
  subject: 'messaging.internal.channels.get',
  summary: "Read the state of the store's messaging channel, its budget, and what an opt-out stops",
  request: {},
  reply: Type.Object({
    ...ChannelConnection.properties,
    opt_out_stops_api: Type.Boolean(),
    message_budget: Type.Optional(Nullable(MessageBudget)),
  }),
});

const RateSettings = {
  /** Messages per second for the whole phone number. */
  number_rate: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  /** Seconds between two messages to one lead after the burst is used up. */
  pair_interval_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3600 })),
  pair_burst: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
};

const metaIdFault = 'must be 5 to 30 digits';

/** The service checks which members the provider accepts and requires, and answers a fault for each wrong one. */
const connectionMembers = {
  provider: ChannelProvider,
  phone_number_id: Type.Optional(
    Matching('^[0-9]{5,30}$', metaIdFault, { description: 'WhatsApp: Meta’s id of the number.' }),
  ),
  business_account_id: Type.Optional(
    Matching('^[0-9]{5,30}$', metaIdFault, {
      description:
        'WhatsApp: Meta’s id of the WhatsApp Business Account of the number. With it the server knows the templates of ' +
        'the account, and checks those that are sent.',
    }),
  ),
  phone: Type.Optional(About(Phone, 'The store’s number, digits only. WhatsApp needs it.')),
  api_url: Type.Optional(
    Type.String({ format: 'uri', maxLength: 500, description: 'WhatsApp: replaces the address of Meta’s API.' }),
  ),
  /** As a real channel does. WhatsApp's is 1,440. */
  reply_window_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_080,
      description: 'The sandbox: how long it accepts free text after a message of the customer. Left out: always.',
    }),
  ),
  rotate: Type.Optional(
    Type.Literal(true, { description: 'The sandbox: a new address. The previous one stops working.' }),
  ),
  secrets: Type.Optional(
    Exact(
      {
        access_token: Type.Optional(
          Type.String({ minLength: 1, maxLength: 2000, description: 'The token of the system user.' }),
        ),
        app_secret: Type.Optional(
          Type.String({ minLength: 1, maxLength: 500, description: 'The secret of the app, which signs webhooks.' }),
        ),
        verify_token: Type.Optional(
          Type.String({ minLength: 1, maxLength: 500, description: 'A word of your own, also given to Meta.' }),
        ),
      },
      { title: 'ChannelSecrets', description: 'WhatsApp needs all three. They are never shown.' },
    ),
  ),
};

export const connectChannel = defineOperation({
  subject: 'messaging.admin.channels.connect',
  summary: "Connect the store's messaging channel, replacing the current one",
  request: { body: Exact({ ...connectionMembers, ...RateSettings }) },
  reply: Type.Object({
    channel_id: Uuid,
    provider: ChannelProvider,
    webhook_url: NullableString,
    /** The sandbox only: the secret address of its phone; the same as before, unless `rotate` is given. */
    sandbox_url: NullableString,
  }),
});

const FreeServiceMessages = Type.Object(
  {
    used: Type.Integer({ description: 'How many service messages were delivered in the month, at most `limit`.' }),
    limit: Type.Integer({ description: 'How many the channel gives a number free in a month, by the rate file.' }),
    month: BudgetMonth,
  },
  { title: 'FreeServiceMessages', description: 'The service messages that the number has free in this month.' },
);

/** The channel as the store's own people see it: never with its credentials. */
export const StoreChannel = Type.Object(
  {
    provider: NullableChannelProvider,
    status: ConnectionStatus,
    reason: NullableConnectionReason,
    connected_at: About(NullableTimestamp, 'When it was connected.'),
    phone: About(NullableString, 'The store’s number on the channel, digits only.'),
    phone_number_id: About(NullableString, 'WhatsApp only: Meta’s id of the number.'),
    business_account_id: Type.Optional(
      About(NullableString, 'WhatsApp only: Meta’s id of the account that owns the templates. Null: not given.'),
    ),
    templates_synced_at: Type.Optional(
      About(NullableTimestamp, 'When the templates were last read. Null: never, so that no template is checked.'),
    ),
    templates_error: Type.Optional(
      Nullable(Failure, { description: 'Why the templates could not be read the last time. Null: they could.' }),
    ),
    number: Type.Optional(
      Nullable(ChannelNumber, {
        description:
          'What WhatsApp says of the number: its status, quality and limits. Null: it has not said, or the channel is the ' +
          'sandbox.',
      }),
    ),
    free_service_messages: Type.Optional(
      Nullable(FreeServiceMessages, {
        description:
          'What the number has used of its free service messages. Null: the server does not know how many it has.',
      }),
    ),
    webhook_url: About(
      NullableString,
      'WhatsApp only: the address to which Meta posts. Enter it in the settings of the app.',
    ),
    sandbox_url: About(NullableString, 'The sandbox only: the secret address of its telephone.'),
    reply_window_minutes: About(
      Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      'The sandbox only: how long it accepts free text after a message of the customer. Null: always.',
    ),
    messages_queued: Type.Integer({ description: 'How many messages wait to be sent.' }),
    messages_unknown: Type.Integer({ description: 'How many messages have an unknown outcome.' }),
    webhooks_failed: Type.Integer({
      description: 'How many posts of the provider could not be processed and are kept.',
    }),
  },
  { title: 'StoreChannel', description: 'The messaging channel of the store. Without one, `provider` is null.' },
);
export type StoreChannel = Static<typeof StoreChannel>;

export const getStoreChannel = defineOperation({
  subject: 'messaging.platform.channels.get',
  http: { method: 'GET', path: '/channel' },
  access: { role: 'manager' },
  summary: 'Read the messaging channel of the store and its health',
  request: {},
  reply: StoreChannel,
});

/** By the rules of `connectChannel`. The limits of the number are the operator's. */
export const connectStoreChannel = defineOperation({
  subject: 'messaging.platform.channels.connect',
  http: { method: 'PUT', path: '/channel' },
  access: { role: 'owner', audited: ['provider'] },
  summary: 'Connect the messaging channel of the store, replacing the current one',
  description: 'The secrets are never shown. Queued messages are sent over the new channel.',
  request: {
    body: Exact(connectionMembers, { title: 'ConnectStoreChannel', description: 'The channel to connect.' }),
  },
  reply: StoreChannel,
});

export const disconnectStoreChannel = defineOperation({
  subject: 'messaging.platform.channels.disconnect',
  http: { method: 'DELETE', path: '/channel' },
  access: { role: 'owner' },
  summary: 'Disconnect the messaging channel of the store and delete its credentials',
  description: 'Queued messages wait for another channel, for a day at most.',
  request: {},
  reply: Done,
  errors: ['channel_not_connected'],
});

export const disconnectChannel = defineOperation({
  subject: 'messaging.admin.channels.disconnect',
  summary: "Disconnect the store's messaging channel and delete its credentials",
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
    status: ConnectionStatus,
    phone: NullableString,
    phone_number_id: NullableString,
    business_account_id: Type.Optional(NullableString),
    /** Null: the templates are not known. */
    templates_synced_at: Type.Optional(NullableTimestamp),
    templates_error: Type.Optional(Nullable(Failure)),
    /** What WhatsApp told of the conversations from before; `declined_code`: why it tells nothing. Null: it told nothing yet. */
    history: Type.Optional(
      Nullable(
        Type.Object(
          {
            progress_percent: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
            declined_code: NullableString,
          },
          { title: 'ChannelHistory' },
        ),
      ),
    ),
    number: Type.Optional(Nullable(ChannelNumber)),
    free_service_messages: Type.Optional(Nullable(FreeServiceMessages)),
    webhook_url: NullableString,
    /** Only of `degraded`. */
    reason: Type.Optional(NullableWaitReason),
    /** The secret address of the sandbox's phone. */
    sandbox_url: NullableString,
    /** The reply window that the sandbox holds; null: the provider's. */
    reply_window_minutes: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    last_error: NullableString,
    /** Of `needs_attention`: when the platform asks the provider again. */
    next_check_at: Type.Optional(NullableTimestamp),
    connected_at: NullableTimestamp,
    messages_queued: Type.Integer(),
    messages_unknown: Type.Integer(),
    /** Webhooks that could not be processed completely and are kept. */
    webhooks_failed: Type.Integer(),
  }),
});
