import { Type } from '@sinclair/typebox';
import { Done, Exact, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

export const verifyWebhook = defineOperation({
  subject: 'messaging.api.webhooks.verify',
  access: { role: 'guest' },
  tenancy: 'none',
  queue: 'webhook',
  summary: "Answer the channel's challenge when its webhook is set up",
  request: { body: Exact({ channel_id: Uuid, verify_token: Type.String({ maxLength: 1000 }) }) },
  reply: Done,
  errors: ['webhook_refused'],
});

/** The raw bytes, because the signature covers them. The service stores them, answers, and then processes them. */
export const receiveWebhook = defineOperation({
  subject: 'messaging.api.webhooks.receive',
  access: { role: 'guest' },
  tenancy: 'none',
  queue: 'webhook',
  summary: 'Receive a webhook of the channel',
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
