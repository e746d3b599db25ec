import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, causedBy } from '@mostrador/kit/outbox/outbox';
import type { Origin } from '@mostrador/kit/rpc/actor';
import { type CancelCause, cancelBatchOfLead } from './followup.repository.ts';
import { followupEvents, wakeFollowup } from './followup.ts';

const batch = 500;

/**
 * Cancels pending follow-ups of the lead, with their events and wake-ups, in the caller's transaction. The reasons
 * `lead_replied` and `appointment_booked` cancel only those with the flag for it, other reasons cancel all. Idempotent.
 * Nudge the relay after the commit. Returns how many were cancelled.
 *
 * @param origin what caused it. Default: what caused the transaction
 */
export async function cancelFollowups(
  sql: TransactionSql,
  storeId: string,
  cause: CancelCause,
  origin: Origin = sql.origin,
): Promise<number> {
  for (let cancelled = 0; ; ) {
    const rows = await cancelBatchOfLead(sql, storeId, cause, batch);
    await appendOutbox(
      sql,
      storeId,
      rows.flatMap((row) => [
        ...causedBy(origin, followupEvents.cancelled(row, cause.reason)),
        wakeFollowup(row, 'cancelled'),
      ]),
    );
    cancelled += rows.length;
    if (rows.length < batch) return cancelled;
  }
}
