import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { changeOptOut } from '../conversations/change-opt-out.ts';
import { type ConversationRow, saveCall } from '../conversations/conversation.repository.ts';
import { isLate } from './came-at.ts';
import type { ConversationEffect } from './kept-effect.ts';
import { takeHandover } from './take-handover.ts';

/**
 * Changes a conversation as the channel tells it. The caller holds its lock. Repeats and any order are safe. A call or a
 * handover that comes a day late changes nothing.
 */
export async function applyToConversation(
  sql: TransactionSql,
  storeId: string,
  conversation: ConversationRow,
  effect: ConversationEffect,
): Promise<void> {
  const { lead_id: leadId } = conversation;
  const { kind, at } = effect;
  if (kind === 'opt_out') {
    const wish = { ...effect.wish, at, source: 'channel_preference' as const };
    await appendOutbox(sql, storeId, await changeOptOut(sql, storeId, leadId, wish));
  } else if (!isLate(new Date(), at)) {
    // The call opens the reply window.
    if (kind === 'call') await saveCall(sql, storeId, leadId, at);
    else await takeHandover(sql, storeId, conversation, effect);
  }
}
