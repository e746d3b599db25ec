import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Notification } from '../../src/channels/channel-provider.ts';
import { storable } from '../../src/channels/storable.ts';

const Message = Type.Object({
  id: Type.String({ pattern: '^[a-z0-9-]{1,100}$' }),
  from: Type.String({ pattern: '^[0-9]{5,20}$' }),
  text: Type.String({ maxLength: 4096 }),
});
const Status = Type.Object({
  message_id: Type.String({ pattern: '^[a-z0-9-]{1,100}$' }),
  reference: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  status: Type.Union([Type.Literal('delivered'), Type.Literal('failed')]),
});

/** Reads `{ messages, statuses }`. It counts malformed entries and still returns the others. */
export function readNotification(payload: unknown): Notification {
  const now = new Date();
  const { messages, statuses } = Object(payload);
  const posted = { messages: [messages ?? []].flat(), statuses: [statuses ?? []].flat() };
  const texts = posted.messages.filter((one) => Value.Check(Message, one));
  const updates = posted.statuses.filter((one) => Value.Check(Status, one));
  return {
    messages: texts.map(({ id, from, text }) => ({
      providerMessageId: id,
      waId: from,
      userId: null,
      name: null,
      kind: 'text',
      body: storable(text),
      writtenAt: now,
    })),
    statuses: updates.map(({ message_id, reference, status }) => ({
      providerMessageId: message_id,
      callbackData: reference,
      status,
      at: now,
      ...(status === 'failed' && { error: { code: 'acme_failed', detail: 'Acme could not deliver the message.' } }),
    })),
    unreadable: posted.messages.length + posted.statuses.length - texts.length - updates.length,
  };
}
