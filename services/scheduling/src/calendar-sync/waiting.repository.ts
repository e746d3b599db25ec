import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { WaitColumns } from '@mostrador/kit/resilience/wait-reason';
import type { AttemptError } from '@mostrador/kit/step/retry-engine';
import type { WaitingRows } from '@mostrador/kit/step/waiting';

/** A sync of the current connection that is not in step, with what says why. */
export type WaitingSyncRow = WaitColumns & {
  readonly id: string;
  readonly lead_id: string | null;
  readonly state: 'pending' | 'needs_attention';
  readonly attempts: number;
  readonly last_error_code: string | null;
  readonly next_attempt_at: Date | null;
  readonly lease_until: Date | null;
  readonly connection_status: 'connected' | 'needs_attention';
  readonly connection_error: string | null;
  readonly since: Date;
  /** The time of the database clock. */
  readonly now: Date;
};

export async function findWaitingSyncs(
  sql: Sql,
  storeId: string,
  { after, before, ids, limit }: WaitingRows,
): Promise<WaitingSyncRow[]> {
  return await sql<WaitingSyncRow[]>`
    select s.appointment_id as id, a.lead_id, s.state, s.attempts, s.last_error_code, s.next_attempt_at, s.lease_until,
      s.wait_reason, s.wait_since, c.status as connection_status, c.last_error_code as connection_error,
      s.requested_at as since, statement_timestamp() as now
    from calendar_connections c
    join calendar_syncs s on s.store_id = c.store_id and s.connection_id = c.id
    join appointments a on a.store_id = s.store_id and a.id = s.appointment_id
    where c.store_id = ${storeId} and c.disconnected_at is null and s.state in ('pending', 'needs_attention')
      ${after ? sql`and (s.requested_at, s.appointment_id) > (${after.since}, ${after.id})` : sql``}
      ${before ? sql`and s.requested_at < ${before}` : sql``}
      ${ids ? sql`and s.appointment_id = any(${[...ids]}::uuid[])` : sql``}
    order by s.requested_at, s.appointment_id
    limit ${limit}`;
}

/** Stores with a sync that is not in step. Their calendar may have been disconnected since. */
export const findSyncStores = (systemSql: Sql, { after, limit }: { after: string; limit: number }) =>
  systemSql<{ store_id: string }[]>`
    select distinct store_id from calendar_syncs
    where state in ('pending', 'needs_attention') and store_id > ${after} order by store_id limit ${limit}`;

/** Makes the next attempt of a locked sync due now. */
export async function saveSyncRetry(sql: TransactionSql, storeId: string, appointmentId: string): Promise<void> {
  await sql`
    update calendar_syncs set state = 'pending', next_attempt_at = ${dueNow(sql)}
    where store_id = ${storeId} and appointment_id = ${appointmentId}`;
}

/** Gives up a locked sync. An attempt whose lease has ended can no longer record its outcome. */
export async function saveSyncGivenUp(
  sql: TransactionSql,
  storeId: string,
  appointmentId: string,
  { code, detail }: AttemptError,
): Promise<void> {
  await sql`
    update calendar_syncs
    set state = 'failed', next_attempt_at = null, lease_token = null, lease_until = null, wait_reason = null,
        wait_since = null, last_error_code = ${code}, last_error_detail = ${detail}
    where store_id = ${storeId} and appointment_id = ${appointmentId}`;
}
