import type { TransactionSql } from '@mostrador/kit/database/database';
import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type CustomerIds, type InboundMessage, identitiesOf } from '../channels/channel-provider.ts';
import { type ConversationRow, findUserIds, findWaIdOwners } from '../conversations/conversation.repository.ts';
import { type Wish, wishIn } from '../conversations/opt-out-state.ts';
import { cameAt } from '../inbound/came-at.ts';
import { findOpenPayloads } from '../inbound/inbound.repository.ts';
import { isEchoOf, pauseOf } from '../inbound/pause-of.ts';
import { readPayload } from '../inbound/read-payload.ts';
import { isKnownInbound, listInFlight } from '../messages/message.repository.ts';
import type { AcceptanceRow } from './acceptance.repository.ts';

/** What the channel has told of the lead that is not processed yet. */
export type Unprocessed = {
  /** The times at which its messages count as written. */
  readonly writtenAt: readonly Date[];
  /** What it wants of messages to it, in the order of arrival. */
  readonly wishes: readonly Wish[];
  /** Whether a person, or an agent of the channel, has the conversation. */
  readonly pausesAi: boolean;
};

/**
 * What stored payloads that are not processed yet say of the lead. The caller holds the
 * conversation's lock, so the processor cannot accept one of them at the same time.
 *
 * It reads the payloads instead of checking that some exist, because a payload may contain only duplicates or fail on
 * every attempt. So the answer is exact, and no caller has to wait for the processor.
 *
 * @throws AppError `service_unavailable` while another message to the lead is being sent, because an echo may be its own
 */
export async function findUnprocessed(
  sql: TransactionSql,
  conversation: Asked,
  phone: string | undefined,
): Promise<Unprocessed> {
  const { store_id: storeId, lead_id, wa_id } = conversation;
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
  let pausesAi = false;
  for (const payload of await findOpenPayloads(sql, storeId, customers)) {
    const { messages, effects = [] } = readPayload(payload, payload.payload, payload.received_at);
    for (const message of messages) {
      if (!isOfLead(message)) continue;
      const { providerMessageId, writtenAt } = message;
      const { channel_id: channelId } = payload;
      if (await isKnownInbound(sql, storeId, { channelId, providerMessageId })) continue;
      pausesAi ||= await isOfOther(sql, conversation, channelId, message);
      if (message.isEcho) continue;
      written.push(cameAt(payload.received_at, writtenAt));
      const wish = wishIn(message);
      if (wish) wishes.push(wish);
    }
    for (const effect of effects) {
      if (effect.kind !== 'opt_out' || !isOfLead(effect.customer)) continue;
      wishes.push({ ...effect.wish, at: effect.at, source: 'channel_preference' });
    }
  }
  return { writtenAt: written, wishes, pausesAi };
}

type Asked = Pick<ConversationRow, 'store_id' | 'lead_id' | 'wa_id' | 'customer_wrote_at'> &
  Pick<AcceptanceRow, 'settings'>;

/** Whether who wrote a message has the conversation instead of our AI. The echo of a message of our own says nothing. */
async function isOfOther(
  sql: TransactionSql,
  { store_id: storeId, lead_id: leadId, settings, ...conversation }: Asked,
  channelId: string,
  message: InboundMessage,
): Promise<boolean> {
  const known = { conversation, minutes: settings.ai_pause_minutes, now: new Date() };
  if (!pauseOf(message, known)) return false;
  if (!message.isEcho) return true;
  const inFlight = await listInFlight(sql, storeId, { leadId, channelId });
  if (inFlight.some((sent) => isEchoOf(message, sent))) return false;
  if (inFlight.some(({ status }) => status === 'sending')) {
    throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
  }
  return true;
}
