import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';

/** The entry of the event that the store has read messages of a lead. */
export const conversationRead = (lead_id: string): OutboxEntry[] => [
  { kind: 'feed', type: 'conversation.read', entityId: lead_id, etag: null, data: { lead_id }, object: undefined },
];
