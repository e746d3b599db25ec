import type { StoreScope, TransactionSql } from '@mostrador/kit/database/database';
import type { ReceivedStatusUpdate } from '../channels/channel-provider.ts';
import { lockConversation } from '../conversations/conversation.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { isSettled, type MessageRow } from '../messages/message.ts';
import { adoptProviderId } from './apply-status-updates.ts';
import {
  findUpdatedMessage,
  insertStatusUpdate,
  lockProviderMessage,
  readMessage,
} from './status-update.repository.ts';

/**
 * What the provider reports of a message, in a transaction of its own. Safe to repeat, and in any order with everything
 * else; a report on a message whose provider id is not known yet is kept for whoever learns it.
 */
export async function applyReceivedStatus(
  { database, outcomes, relay }: Pick<Dependencies, 'database' | 'outcomes' | 'relay'>,
  scope: StoreScope,
  channelId: string,
  status: ReceivedStatusUpdate,
): Promise<void> {
  const message = await database.write(scope, (sql) => apply(sql, scope.storeId, channelId, status));
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
  await insertStatusUpdate(sql, storeId, channelId, status);
  const found = await findUpdatedMessage(sql, storeId, channelId, status);
  if (!found) return undefined;
  await lockConversation(sql, storeId, found.lead_id);
  const message = await readMessage(sql, storeId, found.id);
  if (!concerns(message, status)) return undefined;
  return await adoptProviderId(sql, storeId, message, { channelId, providerMessageId });
}

/**
 * Of a message whose provider id we do not know, a failure may be that of an attempt which was refused and is being made
 * again: it counts only once there is no attempt to wait for. That something arrived counts at any time.
 */
const concerns = (message: MessageRow, { providerMessageId, status }: ReceivedStatusUpdate): boolean =>
  message.provider_message_id === providerMessageId ||
  (message.provider_message_id === null && (status !== 'failed' || message.status === 'unknown'));
