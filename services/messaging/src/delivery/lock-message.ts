import type { TransactionSql } from '@mostrador/kit/database/database';
import { type ConversationRow, lockConversation } from '../conversations/conversation.repository.ts';
import type { MessageRow } from '../messages/message.ts';
import { readMessage } from './status-update.repository.ts';

/**
 * Locks the conversation of a message that exists, and reads both. `lead_id` is where the message was: until the lock is
 * held, a merge of leads may move it.
 */
export async function lockMessage(
  sql: TransactionSql,
  storeId: string,
  { id, lead_id }: Pick<MessageRow, 'id' | 'lead_id'>,
): Promise<{ conversation: ConversationRow | undefined; message: MessageRow }> {
  // Pipelined: PostgreSQL runs them in this order, so the lock is held when the message is read.
  const [conversation, message] = await Promise.all([
    lockConversation(sql, storeId, lead_id),
    readMessage(sql, storeId, id),
  ]);
  return message.lead_id === lead_id ? { conversation, message } : await lockMessage(sql, storeId, message);
}
