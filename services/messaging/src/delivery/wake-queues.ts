import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { releaseQueues } from './delivery.repository.ts';
import { wakeDelivery } from './wake-overdue.ts';

/** The store's channel takes messages now: makes all that waited for it due, and wakes their delivery. */
export async function wakeQueues(sql: TransactionSql, storeId: string): Promise<void> {
  await releaseQueues(sql, storeId);
  await appendOutbox(sql, storeId, [wakeDelivery(storeId, 'channel_connected')]);
}
