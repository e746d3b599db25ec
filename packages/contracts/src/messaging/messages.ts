import { type Static, Type } from '@sinclair/typebox';
import {
  About,
  Described,
  Exact,
  Failure,
  MapOf,
  NextStep,
  Nullable,
  NullableMetadata,
  NullableString,
  NullableTimestamp,
  NullableUuid,
  NullableWaitReason,
  OneOf,
  Page,
  paging,
  Several,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { NullableNumber } from '../core/reports.ts';
import { MessageTypeWord, NullableMessageContent, NullableMessageMedia } from './message-content.ts';
import { MessageTemplate } from './templates.ts';

export const messageDirections = ['inbound', 'outbound'] as const;
export const MessageDirection = OneOf(messageDirections, {
  title: 'MessageDirection',
  description: '`inbound`: the lead wrote it. `outbound`: the store wrote it.',
});

/**
 * Who wrote the message. An opt-out stops `ai` and `followup`, and `api` in a store with `opt_out_stops_api`. It never
 * stops `seller`.
 */
export const messageSources = ['lead', 'ai', 'seller', 'api', 'followup'] as const;
export const MessageSource = OneOf(messageSources, {
  title: 'MessageSource',
  description: 'Who wrote the message. `api`: a request of the API. `followup`: a follow-up that became due.',
});

/**
 * Inbound: `received`. Outbound only moves forward, in any order of status updates: `queued`, `sending`, `unknown` (the
 * answer was lost: the message may or may not have been sent), `sent`, `delivered`, `read`, or `failed`. `cancelled`: it
 * was taken back while it was `queued`, and is never sent.
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
  'cancelled',
] as const;
export type MessageStatus = (typeof messageStatuses)[number];
export const MessageStatusWord = OneOf(messageStatuses, {
  title: 'MessageStatus',
  description:
    'Inbound: `received`. Outbound moves only forward: `queued`, `sending`, `sent`, `delivered`, `read`, `failed`, or `cancelled`. ' +
    '`unknown`: the channel’s answer was lost, so the message may or may not have been sent.',
});

const NullableMessageError = Nullable(Failure);

export const messageAuthorKinds = ['user', 'agent', 'api_key', 'phone'] as const;

/** Who of the store wrote a message. */
export const MessageAuthor = Type.Object(
  {
    kind: OneOf(messageAuthorKinds, {
      title: 'MessageAuthorKind',
      description:
        '`user`: a person of the store in the console. `agent`: an AI agent. `api_key`: a program with a key. `phone`: a ' +
        'person on the store’s own telephone, with the WhatsApp Business app.',
    }),
    id: About(
      NullableString,
      'The id of the person, the agent or the key. Null for `phone`, and for an agent of the channel itself, such as Meta ' +
        'Business Agent: the channel does not say who it was.',
    ),
    name: About(
      NullableString,
      'The name of the person or the agent when the message was written. Null: not known, as that of a key.',
    ),
  },
  { title: 'MessageAuthor', description: 'Who of the store wrote a message.' },
);
export type MessageAuthor = Static<typeof MessageAuthor>;

/** Which template a message is. Its values stay out, because a page of messages must fit into one NATS message. */
const NullableUsedTemplate = Nullable(
  Type.Object(
    {
      name: Type.String({ description: 'The name of the template.' }),
      language: Type.String({ description: 'Its language.' }),
    },
    { title: 'UsedTemplate', description: 'The template that a message is sent as.' },
  ),
);

/** The longest text of a customer that is kept, in bytes of UTF-8. A longer one is cut, and `body_truncated` says so. */
export const maxInboundBodyBytes = 64 * 1024;

/** The categories by which reports sum prices. A category that is newer than this list is `other`. */
export const pricingCategories = ['marketing', 'utility', 'authentication', 'service', 'other'] as const;
export type PricingCategory = (typeof pricingCategories)[number];

/** A greatest rate or budget, so that sums of millionths stay exact. */
export const maxAmount = 1_000_000_000;

/** An amount in millionths, which is how amounts are stored and summed. */
export const toMicros = (amount: number): number => Math.round(amount * 1e6);

/** What the provider bills for a message, in its own words, and what that is in money. */
export const MessagePricing = Type.Object(
  {
    category: Type.String({
      description:
        'What the message is billed as: `marketing`, `utility`, `authentication` or `service`. New words may come.',
    }),
    billable: Type.Boolean({ description: 'Whether the channel bills it, once it is delivered.' }),
    type: About(
      NullableString,
      'Why it is billed or not, such as `regular`, `free_customer_service` or `free_entry_point`. Null: not told.',
    ),
    model: About(NullableString, 'How the channel bills, such as `PMP` for each message. Null: not told.'),
    amount: NullableNumber(
      'What it costs by the rate file of the server: 0 when it is not billable. Null: no rate is known.',
    ),
    currency: About(NullableString, 'The currency of `amount` (ISO 4217). Null: the server has no rate file.'),
  },
  { title: 'MessagePricing', description: 'What the channel bills for a message.' },
);
export type MessagePricing = Static<typeof MessagePricing>;

/** In a list with long texts, each shows at least this many characters (code points). */
export const maxListedBodyLength = 4096;

/** An emoji on a message. */
export const MessageReaction = Type.Object(
  {
    emoji: Type.String({ description: 'The emoji.' }),
    from: Described(MessageSource, { description: 'Who reacted.' }),
    at: About(Timestamp, 'When they did, by the clock of the channel.'),
  },
  { title: 'MessageReaction', description: 'An emoji on a message.' },
);
export type MessageReaction = Static<typeof MessageReaction>;

export const Message = Type.Object(
  {
    id: About(Uuid, 'The id of the message.'),
    lead_id: About(Uuid, 'The lead who wrote it or gets it.'),
    session_id: About(Uuid, 'The session that it belongs to.'),
    direction: MessageDirection,
    source: MessageSource,
    // Members that came after the first ones are optional in the document: see `document-clients.test.ts` on required ones.
    author: Type.Optional(
      Nullable(MessageAuthor, {
        description:
          'Who of the store wrote it. Null for a message of the lead, for a follow-up, and where it is not known, as in ' +
          'messages of older versions.',
      }),
    ),
    body: Type.String({
      description:
        'The text. Empty for a message of another type without a caption, and for one that the lead deleted.',
    }),
    body_truncated: Type.Optional(
      Type.Boolean({
        description:
          'Whether `body` is only the beginning. A list may cut long texts to 4,096 characters: read the message itself ' +
          'for the whole. That is cut only after 64 KiB of UTF-8.',
      }),
    ),
    type: Type.Optional(MessageTypeWord),
    media: Type.Optional(NullableMessageMedia),
    content: Type.Optional(NullableMessageContent),
    template: Type.Optional(
      Described(NullableUsedTemplate, {
        description:
          'The template. A message of a follow-up with text and template is sent as the template only when the reply ' +
          'window is closed. Null: it has none.',
      }),
    ),
    from_history: Type.Optional(
      Type.Boolean({
        description:
          'Whether it is from before the store’s number was connected. Such a message counts nowhere as new, and its import has ' +
          'no events. What happens to it later has: that it is read, a reaction, an edit.',
      }),
    ),
    reply_to_id: Type.Optional(About(NullableUuid, 'The message that it quotes, when the server has that message.')),
    status: MessageStatusWord,
    error: About(
      NullableMessageError,
      'Why it failed, or why it was cancelled: its follow-up expired (`message_expired`), or a person wrote before the AI’s ' +
        'message left (`ai_paused`).',
    ),
    reason: NullableWaitReason,
    next_attempt_at: { ...NullableTimestamp, description: 'With a `reason`: when the provider is asked again.' },
    provider_message_id: About(NullableString, 'The id that the channel gave the message.'),
    metadata: MapOf(Type.String(), {
      description: 'Data of the store’s own systems. Mostrador only keeps it.',
    }),
    created_at: About(Timestamp, 'When it was accepted or received.'),
    updated_at: {
      ...Timestamp,
      description:
        'When another member last changed. `reason` and `next_attempt_at` do not count: they belong to the queue of ' +
        'the lead.',
    },
    sent_at: About(NullableTimestamp, 'When the channel accepted it.'),
    delivered_at: About(NullableTimestamp, 'When it reached the lead’s device.'),
    read_at: About(NullableTimestamp, 'When the lead read it.'),
    pricing: Type.Optional(
      Nullable(MessagePricing, {
        description: 'What the channel says that it bills for it. Null: it says nothing, or nothing yet.',
      }),
    ),
    reactions: Type.Array(MessageReaction, { description: 'The emojis on it. A removed one is no longer there.' }),
    edited_at: Type.Optional(About(NullableTimestamp, 'When the lead last changed the text. `body` is the new text.')),
    revoked_at: Type.Optional(About(NullableTimestamp, 'When the lead deleted it for everyone. `body` is then empty.')),
  },
  { title: 'Message', description: 'A message between the store and a lead.' },
);
export type Message = Static<typeof Message>;
const MessageList = Page(Message);

export const leadParams = Exact({ leadId: About(Uuid, 'The id of the lead.') });

/** The metadata of a message has at most this many bytes as JSON, so that a page of 200 fits into one NATS message. */
export const maxMessageMetadataBytes = 12 * 1024;

export const sendMessage = defineOperation({
  subject: 'messaging.api.messages.send',
  http: { method: 'POST', path: '/leads/:leadId/messages', located: true },
  access: { scope: 'messages:write' },
  summary: 'Send a message to a lead',
  description:
    'The service rejects what it can before it accepts the message. After that the answer is 200. `sent` is true ' +
    'when the channel accepted the message within the wait (5 s unless the store has its own). It is false while the ' +
    'message is durably queued, and false with `status: "failed"` when the channel rejected it. Messages to one lead ' +
    'are sent in the order of acceptance, each at most once. `Location` is the address of the message with its present ' +
    'status, which a replay of this answer does not tell. The message has the source `api`. An opt-out of the lead ' +
    'stops messages of source `ai` and `followup`, and those of source `api` only in a store whose setting ' +
    '`opt_out_stops_api` is on: then a new message is refused with `lead_opted_out`, and one that is still queued ' +
    'fails with that code. The setting is on unless the operator turns it off: `GET /store` ' +
    'shows it. Messages of source `seller` are never stopped.\n\n' +
    'The body has exactly one of `message` and `template`. A template is accepted at any time, also when the reply ' +
    'window is closed. The server checks it against the templates of the channel (`GET /templates`): its name, its ' +
    'language, its status and its values. `body` of the message is then the text of the template with its values. While ' +
    'the channel’s templates are not known, the channel alone checks it: when it rejects it, the message fails, and ' +
    '`error` says why; `body` is then empty.',
  request: {
    params: leadParams,
    body: Exact(
      {
        message: Type.Optional(Text(4096, { description: 'The text to send. Instead of `template`.' })),
        template: Type.Optional(MessageTemplate),
        metadata: Type.Optional(
          Described(NullableMetadata, {
            description:
              'Data of your own systems about the message, which Mostrador only keeps. At most 50 members: names of at ' +
              'most 40 characters, and texts of at most 500, together at most 12 KiB of JSON.',
          }),
        ),
      },
      { description: 'A message.' },
    ),
  },
  reply: Type.Object(
    {
      sent: Type.Boolean({ description: 'Whether the channel accepted the message within the wait.' }),
      id: About(Uuid, 'The id of the message.'),
      status: MessageStatusWord,
      error: NullableMessageError,
    },
    { description: 'What became of the message so far.' },
  ),
  errors: [
    ...(['lead_not_found', 'channel_not_connected', 'messaging_window_closed', 'lead_opted_out'] as const),
    ...(['template_not_found', 'template_not_approved', 'message_budget_reached'] as const),
  ],
});

export const listMessages = defineOperation({
  subject: 'messaging.api.messages.list',
  http: { method: 'GET', path: '/leads/:leadId/messages' },
  access: { scope: 'messages:read' },
  summary: "List a lead's messages",
  description: 'Inbound and outbound messages, newest first.',
  extension: true,
  request: { params: leadParams, query: Exact({ ...paging() }) },
  reply: MessageList,
  errors: ['lead_not_found'],
});

export const listStoreMessages = defineOperation({
  subject: 'messaging.api.store-messages.list',
  http: { method: 'GET', path: '/messages', exports: true },
  access: { scope: 'messages:read' },
  summary: 'List the messages of all leads',
  description:
    'Ordered by `updated_at`, the oldest change first; ties break by id. A walk along `Link` returns each change at ' +
    'least once: a message that changes during the walk comes again. That still holds when a later walk starts with ' +
    '`since` set to the last `updated_at` of a walk that reached its end. To guarantee it, the list ends before the ' +
    'first change that may still be uncommitted, so a change may appear in it a moment later than elsewhere. `total` ' +
    'is exact, as of the first page. A merge of leads changes the messages of the merged lead: they come again with ' +
    'the `lead_id` of the lead that stays.',
  extension: true,
  request: {
    query: Exact({
      since: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'Only messages that are new or changed after this moment (exclusive).',
        }),
      ),
      lead_id: Type.Optional(About(Uuid, 'Only messages of this lead.')),
      direction: Type.Optional(MessageDirection),
      status: Type.Optional(
        Several(MessageStatusWord, messageStatuses.join('|'), {
          maxLength: 200,
          description: `One or several of ${messageStatuses.join(', ')}, separated by commas.`,
        }),
      ),
      ...paging(),
    }),
  },
  reply: MessageList,
});

export const getMessage = defineOperation({
  subject: 'messaging.api.messages.get',
  http: { method: 'GET', path: '/leads/:leadId/messages/:messageId' },
  access: { scope: 'messages:read' },
  summary: 'Read a message and its status',
  extension: true,
  request: {
    params: Exact({
      leadId: About(Uuid, 'The id of the lead.'),
      messageId: About(Uuid, 'The id of the message.'),
    }),
  },
  reply: Message,
  errors: ['lead_not_found', 'message_not_found'],
});

export const cancelMessage = defineOperation({
  subject: 'messaging.api.messages.cancel',
  http: { method: 'DELETE', path: '/leads/:leadId/messages/:messageId' },
  access: { scope: 'messages:write' },
  summary: 'Cancel a queued message',
  description:
    'Only a message that is still `queued` can be cancelled, whatever its source. After a 200 it is never sent, has the ' +
    'status `cancelled`, and counts neither as an interaction of the lead nor in reports. After a 409, ' +
    '`current_status` says what it is instead. A follow-up that became this message is `cancelled`, too.',
  extension: true,
  request: {
    params: Exact({
      leadId: About(Uuid, 'The id of the lead.'),
      messageId: About(Uuid, 'The id of the message.'),
    }),
  },
  reply: Type.Object(
    { cancelled: Type.Literal(true), id: About(Uuid, 'The id of the message.') },
    { description: 'The message is cancelled.' },
  ),
  errors: ['lead_not_found', 'message_not_found', 'message_not_queued'],
});

/** Accepts a message of another service, such as a follow-up, by the same rules and once per `id`. */
export const acceptMessage = defineOperation({
  subject: 'messaging.internal.messages.accept',
  summary: 'Accept a message for a lead, once per id',
  request: {
    body: Exact({
      id: Uuid,
      lead_id: Uuid,
      source: OneOf(['ai', 'seller', 'followup']),
      message: Text(4096),
      /** Sent instead of the text when the reply window is closed. */
      template: Type.Optional(MessageTemplate),
      /** An inbound message after this moment rejects this one with `lead_replied`. */
      unless_reply_after: Type.Optional(Timestamp),
      /** From this moment on the message is not sent. One that is queued then is `cancelled`, with the error `message_expired`. */
      expires_at: Type.Optional(Timestamp),
      /** The lead is told that a person will answer, so the conversation stays unanswered. Only of source `ai`. */
      hands_over: Type.Optional(Type.Boolean()),
      /** The agent that wrote it. Only of source `ai`. */
      agent: Type.Optional(Exact({ id: Uuid, name: Type.String({ maxLength: 200 }) })),
      /** The name of the person behind the request, if one is. */
      author_name: Type.Optional(Type.String({ maxLength: 200 })),
      /** How long the answer waits for the outcome of the message, in milliseconds. Default 0. */
      wait_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 5_000 })),
    }),
  },
  reply: Type.Object({ id: Uuid, status: MessageStatusWord, error: NullableMessageError }),
  errors: [
    'channel_not_connected',
    'messaging_window_closed',
    'lead_opted_out',
    'ai_paused',
    'lead_replied',
    'message_expired',
    'message_budget_reached',
  ],
});

/**
 * Sends the due messages of a lead's queue in order, at most 20 and for at most 5 s. Safe to repeat at any time. For the
 * workflows of version 0.2.0 that are still open.
 */
export const deliverMessages = defineOperation({
  subject: 'messaging.step.messages.deliver',
  summary: "Send the due messages of a lead's queue",
  request: { body: Exact({ lead_id: Uuid }) },
  reply: NextStep,
});

/** An operator sets the outcome of a message whose outcome is unknown. */
export const settleMessage = defineOperation({
  subject: 'messaging.admin.messages.settle',
  summary: 'Settle a message whose outcome is unknown',
  request: { body: Exact({ message_id: Uuid, status: OneOf(['sent', 'failed']) }) },
  reply: Message,
  errors: ['message_not_found', 'message_not_unknown'],
});
