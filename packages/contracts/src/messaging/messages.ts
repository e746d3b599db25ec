import { type Static, Type } from '@sinclair/typebox';
import {
  Exact,
  NextStep,
  NullableString,
  NullableTimestamp,
  OneOf,
  Page,
  paging,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

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

export const leadParams = Exact({ leadId: Uuid });

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
