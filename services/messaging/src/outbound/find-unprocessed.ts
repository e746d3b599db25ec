import type { TransactionSql } from '@mostrador/kit/database/database';
import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import { type CustomerIds, identitiesOf } from '../channels/channel-provider.ts';
import { type ConversationRow, findUserIds, findWaIdOwners } from '../conversations/conversation.repository.ts';
import { type Wish, wishIn } from '../conversations/opt-out-state.ts';
import { cameAt } from '../inbound/came-at.ts';
import { findOpenPayloads } from '../inbound/inbound.repository.ts';
import { readPayload } from '../inbound/read-payload.ts';
import { isKnownInbound } from '../messages/message.repository.ts';

/** What the lead said that is not processed yet. */
export type Unprocessed = {
  /** The times at which its messages count as written. */
  readonly writtenAt: readonly Date[];
  /** What it wants of messages to it, in the order of arrival. */
  readonly wishes: readonly Wish[];
};

/**
 * What stored payloads that are not processed yet say of the lead. The caller holds the
 * conversation's lock, so the processor cannot accept one of them at the same time.
 *
 * It reads the payloads instead of checking that some exist, because a payload may contain only duplicates or fail on
 * every attempt. So the answer is exact, and no caller has to wait for the processor.
 */
export async function findUnprocessed(
  sql: TransactionSql,
  { store_id: storeId, lead_id, wa_id }: Pick<ConversationRow, 'store_id' | 'lead_id' | 'wa_id'>,
  phone: string | undefined,
): Promise<Unprocessed> {
  // The processor finds this lead by the channel's ids, or by a form of the phone unless that is another lead's channel
  // id.
  const forms = phone === undefined ? [] : phoneForms(phone);
  const [owners, userIds] = await Promise.all([
    findWaIdOwners(sql, storeId, forms),
    findUserIds(sql, storeId, lead_id),
  ]);
  const byPhone = forms.filter((form) => (owners.get(form) ?? lead_id) === lead_id);
  const customers = [wa_id, ...byPhone, ...userIds].filter((id) => id !== null);
  const isOfLead = (ids: CustomerIds) => identitiesOf(ids).some((id) => customers.includes(id));
  const written: Date[] = [];
  const wishes: Wish[] = [];
  for (const payload of await findOpenPayloads(sql, storeId, customers)) {
    const { messages, effects = [] } = readPayload(payload, payload.payload, payload.received_at);
    for (const message of messages) {
      if (message.isEcho || !isOfLead(message)) continue;
      const { providerMessageId, writtenAt } = message;
      if (await isKnownInbound(sql, storeId, { channelId: payload.channel_id, providerMessageId })) continue;
      written.push(cameAt(payload.received_at, writtenAt));
      const wish = wishIn(message);
      if (wish) wishes.push(wish);
    }
    for (const effect of effects) {
      if (effect.kind !== 'opt_out' || !isOfLead(effect.customer)) continue;
      wishes.push({ ...effect.wish, at: effect.at, source: 'channel_preference' });
    }
  }
  return { writtenAt: written, wishes };
}
