import type { TransactionSql } from '@mostrador/kit/database/database';
import type { OutboxEntry } from '@mostrador/kit/outbox/outbox';
import { listQueuedAi } from '../messages/message.repository.ts';
import { aiPaused, saveCancelled } from './record-final.ts';
import { wakeDelivery } from './wake-overdue.ts';

/**
 * Cancels what the AI wrote before a message and what has not left, because a person writes now or will. The caller holds
 * the conversation's lock. Returns the entries of the events.
 */
export async function cancelQueuedAi(
  sql: TransactionSql,
  storeId: string,
  message: { readonly leadId: string; readonly before: number },
): Promise<OutboxEntry[]> {
  const entries: OutboxEntry[] = [];
  for (const queued of await listQueuedAi(sql, storeId, message)) {
    entries.push(...(await saveCancelled(sql, storeId, queued, aiPaused)).entries);
  }
  return entries;
}

/** The same. What waited behind a cancelled message is due, so the entries also wake the delivery. */
export async function overtakeQueuedAi(
  ...[sql, storeId, message]: Parameters<typeof cancelQueuedAi>
): Promise<OutboxEntry[]> {
  const entries = await cancelQueuedAi(sql, storeId, message);
  return entries.length > 0 ? [...entries, wakeDelivery(storeId, 'message_settled')] : [];
}
