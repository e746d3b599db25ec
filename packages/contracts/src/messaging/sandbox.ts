import { Type } from '@sinclair/typebox';
import { Done, Exact, NullableTimestamp, OneOf, Phone, Text, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { messageDirections, messageStatuses } from './messages.ts';

const SandboxToken = Type.String({ minLength: 20, maxLength: 100 });

/** A customer writes on the sandbox's phone. The token in the page's address is the only credential. */
export const receiveSandboxMessage = defineOperation({
  subject: 'messaging.api.sandbox.receive',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: "Write to the store on the sandbox's phone",
  request: { body: Exact({ token: SandboxToken, customer_phone: Phone, name: Text(200), text: Text(4096) }) },
  reply: Done,
  errors: ['sandbox_not_found', 'sandbox_phone_taken'],
});

/** The conversation as the customer sees it, with what the store knows of each message. */
export const readSandboxConversation = defineOperation({
  subject: 'messaging.api.sandbox.read',
  access: { role: 'guest' },
  tenancy: 'none',
  summary: "Read the conversation on the sandbox's phone",
  request: { body: Exact({ token: SandboxToken, customer_phone: Phone }) },
  reply: Type.Object({
    store_phone: Type.String(),
    messages: Type.Array(
      Type.Object({
        id: Uuid,
        direction: OneOf(messageDirections),
        text: Type.String(),
        at: Timestamp,
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
  request: { body: Exact({ token: SandboxToken, customer_phone: Phone, status: OneOf(['delivered', 'read']) }) },
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
