import type { TransactionSql } from '@mostrador/kit/database/database';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { lockConversation, saveOptOut } from './conversation.repository.ts';
import { optOutEvents, toOptOut, type Wish, withWish } from './opt-out-state.ts';

/** Stores a wish of a lead about messages. The caller appends the entries that it returns. */
export async function changeOptOut(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  wish: Wish,
): Promise<OutboxEntry[]> {
  const conversation = await lockConversation(sql, storeId, leadId);
  if (!conversation) return [];
  const saved = await saveOptOut(sql, storeId, leadId, withWish(conversation, wish));
  return optOutEvents(leadId, toOptOut(conversation), toOptOut(saved));
}
