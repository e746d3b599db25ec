import type { TransactionSql } from '@mostrador/kit/database/database';
import { type ConversationRow, findLeadByWaId } from '../conversations/conversation.repository.ts';
import { isKnownInbound } from '../messages/message.repository.ts';
import { cameAt } from './accept-inbound.ts';
import { findOpenPayloads } from './inbound.repository.ts';
import { readPayload } from './read-payload.ts';

/** Something that the lead wrote, and when it counts as written. */
export type Unprocessed = { readonly body: string; readonly at: Date };

/**
 * What the lead wrote that is stored but not taken in yet, in the order in which it came. The conversation is locked, so
 * nothing of the lead's is being taken in meanwhile: what is not a message of theirs by now is in a payload that is still open.
 *
 * The payload itself is read, as its mere presence says too little: it may hold only what the channel posts again, which
 * is nothing new, or be one that fails for ever. So the answer is exact at once, and nobody has to wait for the processor.
 */
export async function findUnprocessed(
  sql: TransactionSql,
  { store_id: storeId, lead_id, wa_id }: Pick<ConversationRow, 'store_id' | 'lead_id' | 'wa_id'>,
  phone: string,
): Promise<Unprocessed[]> {
  // Whom the inbound side would take for this lead: by the channel's id, else by the phone unless that is another's id.
  const owner = await findLeadByWaId(sql, storeId, phone);
  const customers = [wa_id, owner === undefined || owner === lead_id ? phone : null].filter((id) => id !== null);
  const found: Unprocessed[] = [];
  for (const payload of await findOpenPayloads(sql, storeId, customers)) {
    const { messages } = readPayload(payload, payload.payload);
    for (const { waId, providerMessageId, writtenAt, body } of messages) {
      if (!customers.includes(waId)) continue;
      if (await isKnownInbound(sql, storeId, { channelId: payload.channel_id, providerMessageId })) continue;
      found.push({ body, at: cameAt(payload.received_at, writtenAt) });
    }
  }
  return found;
}
