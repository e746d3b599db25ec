import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import type { ReceivedStatusUpdate } from '../channels/channel-provider.ts';
import { refuseChannel } from '../channels/refuse-channel.ts';
import { learnIds } from '../conversations/conversation.repository.ts';
import { mayReplyTo } from '../conversations/may-reply-to.ts';
import type { Dependencies } from '../dependencies.ts';
import { isSettled, type MessageRow } from '../messages/message.ts';
import { withAmount } from '../prices/rate-card.ts';
import { adoptProviderId } from './apply-status-updates.ts';
import { lockMessage } from './lock-message.ts';
import { findUpdatedMessage, insertStatusUpdates, lockProviderMessage } from './status-update.repository.ts';

/**
 * Applies one status update from the provider, in a transaction of its own. Repeats and any order are safe. An update
 * under an id that no message has yet is stored; the transaction that learns the id applies it.
 */
export async function applyReceivedStatus(
  { database, outcomes, relay, rateCard }: Pick<Dependencies, 'database' | 'outcomes' | 'relay' | 'rateCard'>,
  scope: StoreScope,
  channelId: string,
  status: ReceivedStatusUpdate,
): Promise<void> {
  const priced = withAmount(rateCard, status);
  const message = await database.write(scope, (sql) => apply(sql, scope.storeId, channelId, priced));
  if (!message) return;
  relay.nudge();
  if (isSettled(message.status)) outcomes.announce(message.id);
}

async function apply(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  status: ReceivedStatusUpdate,
): Promise<MessageRow | undefined> {
  const { providerMessageId } = status;
  await lockProviderMessage(sql, storeId, channelId, providerMessageId);
  await insertStatusUpdates(sql, storeId, channelId, [status]);
  const found = await findUpdatedMessage(sql, storeId, channelId, status);
  const { conversation, message } = found ? await lockMessage(sql, storeId, found) : {};
  // Lock order: conversation, channel, message. Which message met the fault does not matter.
  if (status.error?.ofChannel) await refuseChannel(sql, storeId, channelId, { at: status.at, error: status.error });
  const { waId = null, userId = null } = status.customer ?? {};
  if (message && conversation && waId !== null && userId !== null && mayReplyTo(conversation, waId))
    await learnIds(sql, storeId, message.lead_id, { waId, userId, channelId });
  if (!message || !concerns(message, status)) return undefined;
  return await adoptProviderId(sql, storeId, message, { channelId, providerMessageId });
}

/**
 * Whether a status update counts for a message. While the message has no provider id, `failed` may belong to an attempt
 * that is being retried, so it counts only for an `unknown` message. Other statuses always count.
 */
const concerns = (message: MessageRow, { providerMessageId, status }: ReceivedStatusUpdate): boolean =>
  message.provider_message_id === providerMessageId ||
  (message.provider_message_id === null && (status !== 'failed' || message.status === 'unknown'));
