import { Type } from '@sinclair/typebox';
import { Done, Exact, OneOf, Phone, Text, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { messageDirections } from './messages.ts';

const SandboxToken = Type.String({ minLength: 20, maxLength: 100 });

/** A customer writes on the sandbox's phone. The token in the page's address is the only credential. */
export const receiveSandboxMessage = defineOperation({
  subject: 'messaging.api.sandbox.receive',
  tenancy: 'none',
  summary: "Write to the store on the sandbox's phone",
  request: { body: Exact({ token: SandboxToken, customer_phone: Phone, name: Text(200), text: Text(4096) }) },
  reply: Done,
  errors: ['sandbox_not_found'],
});

/** The conversation as the customer sees it. */
export const readSandboxConversation = defineOperation({
  subject: 'messaging.api.sandbox.read',
  tenancy: 'none',
  summary: "Read the conversation on the sandbox's phone",
  request: { body: Exact({ token: SandboxToken, customer_phone: Phone }) },
  reply: Type.Object({
    store_phone: Type.String(),
    messages: Type.Array(
      Type.Object({ id: Uuid, direction: OneOf(messageDirections), text: Type.String(), at: Timestamp }),
    ),
  }),
  errors: ['sandbox_not_found'],
});
