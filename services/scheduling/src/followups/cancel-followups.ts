import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { type CancelCause, cancelBatchOfLead } from './followup.repository.ts';
import { followupEvents } from './followup.ts';
import { wakeFollowup } from './wake-followup.ts';

const batch = 500;

/**
 * Calls off the lead's pending follow-ups that say so: `lead_replied` and `appointment_booked` only those that are to be
 * cancelled by it, the other reasons all. With their events and wake-ups, in the caller's transaction; nudge the relay
 * after it. Safe to repeat. Returns how many it cancelled.
 */
export async function cancelFollowups(sql: TransactionSql, storeId: string, cause: CancelCause): Promise<number> {
  for (let cancelled = 0; ; ) {
    const rows = await cancelBatchOfLead(sql, storeId, cause, batch);
    await appendOutbox(
      sql,
      storeId,
      rows.flatMap((row) => [followupEvents.cancelled(row, cause.reason), wakeFollowup(row, 'cancelled')]),
    );
    cancelled += rows.length;
    if (rows.length < batch) return cancelled;
  }
}
