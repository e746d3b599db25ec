import type { TransactionSql } from '@mostrador/kit/database/database';
import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import { identitiesOf } from '../channels/channel-provider.ts';
import { type ConversationRow, findUserIds, findWaIdOwners } from '../conversations/conversation.repository.ts';
import { isKnownInbound } from '../messages/message.repository.ts';
import { cameAt } from './accept-inbound.ts';
import { findOpenPayloads } from './inbound.repository.ts';
import { readPayload } from './read-payload.ts';

/** A message from the lead that is not processed yet. `at` is the time that it counts as written. */
export type Unprocessed = { readonly body: string; readonly at: Date };

/**
 * The lead's messages in stored payloads that are not processed yet, in the order of arrival. The caller holds the
 * conversation's lock, so the processor cannot accept one of them at the same time.
 *
 * It reads the payloads instead of checking that some exist, because a payload may contain only duplicates or fail on
 * every attempt. So the answer is exact, and no caller has to wait for the processor.
 */
export async function findUnprocessed(
  sql: TransactionSql,
  { store_id: storeId, lead_id, wa_id }: Pick<ConversationRow, 'store_id' | 'lead_id' | 'wa_id'>,
  phone: string | undefined,
): Promise<Unprocessed[]> {
  // The processor finds this lead by the channel's ids, or by a form of the phone unless that is another lead's channel
  // id.
  const forms = phone === undefined ? [] : phoneForms(phone);
  const [owners, userIds] = await Promise.all([
    findWaIdOwners(sql, storeId, forms),
    findUserIds(sql, storeId, lead_id),
  ]);
  const byPhone = forms.filter((form) => (owners.get(form) ?? lead_id) === lead_id);
  const customers = [wa_id, ...byPhone, ...userIds].filter((id) => id !== null);
  const found: Unprocessed[] = [];
  for (const payload of await findOpenPayloads(sql, storeId, customers)) {
    const { messages } = readPayload(payload, payload.payload);
    for (const { providerMessageId, writtenAt, body, ...ids } of messages) {
      if (!identitiesOf(ids).some((id) => customers.includes(id))) continue;
      if (await isKnownInbound(sql, storeId, { channelId: payload.channel_id, providerMessageId })) continue;
      found.push({ body, at: cameAt(payload.received_at, writtenAt) });
    }
  }
  return found;
}
