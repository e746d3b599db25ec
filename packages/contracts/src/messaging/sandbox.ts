import { Type } from '@sinclair/typebox';
import {
  Done,
  Exact,
  Matching,
  NullableText,
  NullableTimestamp,
  OneOf,
  Text,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import type { ValidationFault } from '../core/errors.ts';
import { defineOperation, type RequestOf } from '../core/operation.ts';
import {
  MessageContent,
  MessageMedia,
  MessageTypeWord,
  NullableMessageContent,
  NullableMessageMedia,
} from './message-content.ts';
import { MessageReaction, messageDirections, messageStatuses } from './messages.ts';

const SandboxToken = Type.String({ minLength: 20, maxLength: 100 });

/** The customer whose telephone it is: the number in digits, or the username, after `@`, of one who hides the number. */
const SandboxCustomer = Matching(
  '^([1-9][0-9]{7,14}|@[a-z0-9._]{3,30})$',
  'must be a phone number in digits, or `@` and a username of 3 to 30 letters in lower case, digits, `.` and `_`',
);

const { state: _, ...media } = MessageMedia.properties;

/**
 * A customer writes on the sandbox's phone, or a person of the store writes to the customer on the store's phone. The token
 * in the page's address is the only credential. `text` is the text or the caption: `faultsOfSandboxMessage` says what each type needs.
 */
export const receiveSandboxMessage = defineOperation({
  subject: 'messaging.api.sandbox.receive',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: "Write to the store on the sandbox's phone",
  request: {
    body: Exact({
      token: SandboxToken,
      customer_phone: SandboxCustomer,
      name: Text(200),
      /** The store writes to the customer, on its own phone. */
      from_store: Type.Optional(Type.Literal(true)),
      /** Another agent of the number writes to the customer, such as Meta Business Agent. */
      from_agent: Type.Optional(Type.Literal(true)),
      text: Type.Optional(Text(4096)),
      /** Default: `text`. */
      type: Type.Optional(MessageTypeWord),
      media: Type.Optional(Type.Partial(Exact(media), { additionalProperties: false })),
      content: Type.Optional(Exact(MessageContent.properties)),
      /** The message that this one quotes. */
      reply_to_id: Type.Optional(Uuid),
    }),
  },
  reply: Done,
  errors: ['sandbox_not_found', 'sandbox_phone_taken'],
});

const needed: Readonly<Record<string, readonly (keyof typeof MessageContent.properties)[]>> = {
  location: ['latitude', 'longitude'],
  contacts: ['contacts'],
  interactive_reply: ['kind', 'title'],
  order: ['items'],
};

/** What the schema of a message on the sandbox's phone does not express. */
export function faultsOfSandboxMessage({ body }: RequestOf<typeof receiveSandboxMessage>): ValidationFault[] {
  const { type = 'text', text, content = {}, from_store, from_agent } = body;
  if (from_store && from_agent) return [{ pointer: '#/from_agent', detail: 'Give `from_store` or `from_agent`.' }];
  if (type === 'text') return text === undefined ? [{ pointer: '#/text', detail: 'is required' }] : [];
  if (type === 'template') return [{ pointer: '#/type', detail: 'A customer sends no templates.' }];
  return (needed[type] ?? [])
    .filter((name) => content[name] === undefined)
    .map((name) => ({ pointer: `#/content/${name}`, detail: `is required for the type \`${type}\`` }));
}

/** A customer reacts to a message on the sandbox's phone, or edits or deletes an own one. Exactly one change. */
export const changeSandboxMessage = defineOperation({
  subject: 'messaging.api.sandbox.change',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: "React to a message on the sandbox's phone, edit it or delete it",
  request: {
    body: Exact({
      token: SandboxToken,
      customer_phone: SandboxCustomer,
      message_id: Uuid,
      /** An emoji; null takes it back. */
      reaction: Type.Optional(NullableText(50)),
      text: Type.Optional(Text(4096)),
      deleted: Type.Optional(Type.Literal(true)),
    }),
  },
  reply: Done,
  errors: ['sandbox_not_found', 'sandbox_phone_taken', 'message_not_found'],
});

/**
 * Another agent of the number takes the conversation (`other`), or passes it to the store. While it has it, what the
 * customer writes is on standby.
 */
export const handOverSandbox = defineOperation({
  subject: 'messaging.api.sandbox.hand-over',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: 'Give a conversation of the sandbox to another agent of the number, or to the store',
  request: { body: Exact({ token: SandboxToken, customer_phone: SandboxCustomer, owner: OneOf(['store', 'other']) }) },
  reply: Done,
  errors: ['sandbox_not_found', 'sandbox_phone_taken'],
});

/** The conversation as the customer sees it, with what the store knows of each message. */
export const readSandboxConversation = defineOperation({
  subject: 'messaging.api.sandbox.read',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: "Read the conversation on the sandbox's phone",
  request: { body: Exact({ token: SandboxToken, customer_phone: SandboxCustomer }) },
  reply: Type.Object({
    store_phone: Type.String(),
    messages: Type.Array(
      Type.Object({
        id: Uuid,
        direction: OneOf(messageDirections),
        text: Type.String(),
        at: Timestamp,
        type: Type.Optional(MessageTypeWord),
        media: Type.Optional(NullableMessageMedia),
        content: Type.Optional(NullableMessageContent),
        reply_to_id: Type.Optional(Type.Union([Uuid, Type.Null()])),
        reactions: Type.Optional(Type.Array(MessageReaction)),
        edited_at: Type.Optional(NullableTimestamp),
        revoked_at: Type.Optional(NullableTimestamp),
        /** The status of the message in the API. Without one, the API does not have the message. */
        status: Type.Optional(OneOf(messageStatuses)),
      }),
    ),
    /**
     * Only of a sandbox that holds a reply window: when it closes or closed; null: the customer has not written yet, so
     * it is closed.
     */
    window_expires_at: Type.Optional(NullableTimestamp),
  }),
  errors: ['sandbox_not_found'],
});

/**
 * The telephone reports that everything on it was delivered, or read. What it reported before stays as it is. The numbers
 * that provoke an outcome report for themselves, so this changes nothing for them.
 */
export const reportSandboxReceipts = defineOperation({
  subject: 'messaging.api.sandbox.report-receipts',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: "Report that the messages on the sandbox's phone were delivered or read",
  request: {
    body: Exact({ token: SandboxToken, customer_phone: SandboxCustomer, status: OneOf(['delivered', 'read']) }),
  },
  reply: Done,
  errors: ['sandbox_not_found'],
});

/** The store of the sandbox, and at most 12 customers who wrote on it, the latest first. Other leads are not listed. */
export const describeSandbox = defineOperation({
  subject: 'messaging.api.sandbox.describe',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: 'Read the store of a sandbox and its latest customers',
  request: { body: Exact({ token: SandboxToken }) },
  reply: Type.Object({
    store_id: Uuid,
    customers: Type.Array(Type.Object({ name: Type.String(), customer_phone: Type.String() })),
  }),
  errors: ['sandbox_not_found'],
});
