import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { type CancelCause, cancelBatchOfLead } from './followup.repository.ts';
import { followupEvents, wakeFollowup } from './followup.ts';

const batch = 500;

/**
 * Cancels pending follow-ups of the lead, with their events and wake-ups, in the caller's transaction. The reasons
 * `lead_replied` and `appointment_booked` cancel only those with the flag for it, other reasons cancel all. Idempotent.
 * Nudge the relay after the commit. Returns how many were cancelled.
 */
export async function cancelFollowups(sql: TransactionSql, storeId: string, cause: CancelCause): Promise<number> {
  for (let cancelled = 0; ; ) {
    const rows = await cancelBatchOfLead(sql, storeId, cause, batch);
    await appendOutbox(
      sql,
      storeId,
      rows.flatMap((row) => [...followupEvents.cancelled(row, cause.reason), wakeFollowup(row, 'cancelled')]),
    );
    cancelled += rows.length;
    if (rows.length < batch) return cancelled;
  }
}
