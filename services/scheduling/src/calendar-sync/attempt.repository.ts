import type { TransactionSql } from '@mostrador/kit/database/database';
import type { BlockedReason } from '@mostrador/kit/resilience/circuit';
import { setWait } from '@mostrador/kit/resilience/provider-circuit.repository';
import type { Attempt, AttemptError, RowKey } from '@mostrador/kit/step/retry-engine';
import type { EventReference } from '../calendars/calendar-provider.ts';
import type { SyncRow } from './sync.repository.ts';

/** The circuit blocks calls for this reason, and the next attempt is due after `delayMs`. */
export type Wait = { readonly delayMs: number; readonly reason: BlockedReason };

/** Begins an attempt. Other attempts wait while its lease is valid. */
export async function claim(sql: TransactionSql, { storeId, id }: RowKey, leaseMs: number): Promise<Attempt> {
  const [row] = await sql<{ lease_token: string; attempts: number }[]>`
    update calendar_syncs
    set attempts = attempts + 1, lease_token = gen_random_uuid(),
        lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
        next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where store_id = ${storeId} and appointment_id = ${id}
    returning lease_token, attempts`;
  const { lease_token, attempts } = row as NonNullable<typeof row>;
  return { storeId, id, leaseToken: lease_token, number: attempts };
}

const ofAttempt = (sql: TransactionSql, { storeId, id, leaseToken }: Attempt) =>
  sql`where store_id = ${storeId} and appointment_id = ${id} and lease_token = ${leaseToken}`;

/**
 * Records that the calendar shows `version` at the time of this mark, or no event (`event` null). Returns the state if the
 * lease is held.
 */
export async function recordSynced(
  sql: TransactionSql,
  attempt: Attempt,
  { version, timeMark }: { readonly version: number; readonly timeMark: string },
  event: EventReference | null,
): Promise<SyncRow['state'] | undefined> {
  const [row] = await sql<{ state: SyncRow['state'] }[]>`
    update calendar_syncs
    set state = case when desired_version = ${version} then 'synced' else 'pending' end,
        next_attempt_at = case when desired_version = ${version} then null else clock_timestamp() end,
        synced_version = ${version}, synced_at = clock_timestamp(), write_back = false,
        event_id = ${event?.eventId ?? null}, href = ${event?.href ?? null}, etag = ${event?.etag ?? null},
        time_mark = ${event && timeMark},
        last_error_code = null, last_error_detail = null, lease_token = null, lease_until = null
    ${ofAttempt(sql, attempt)}
    returning state`;
  return row?.state;
}

/** Records a failure. Returns when the next attempt is due (after `delayMs`), if the lease is held. */
export async function recordFailed(
  sql: TransactionSql,
  attempt: Attempt,
  error: AttemptError,
  delayMs: number,
): Promise<Date | undefined> {
  const [row] = await sql<{ next_attempt_at: Date }[]>`
    update calendar_syncs
    set next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond', ${setWait(sql)},
        last_error_code = ${error.code}, last_error_detail = ${error.detail}, lease_token = null, lease_until = null
    ${ofAttempt(sql, attempt)}
    returning next_attempt_at`;
  return row?.next_attempt_at;
}

/** Undoes the claim after the circuit blocked the call. Returns when the next attempt is due, if the lease is held. */
export async function recordNotCalled(sql: TransactionSql, attempt: Attempt, until: Wait): Promise<Date | undefined> {
  const [row] = await sql<{ next_attempt_at: Date }[]>`
    update calendar_syncs
    set attempts = greatest(attempts - 1, 0), lease_token = null, lease_until = null, ${wait(sql, until)}
    ${ofAttempt(sql, attempt)}
    returning next_attempt_at`;
  return row?.next_attempt_at;
}

/** Records a rejected event, which needs attention unless it has changed. Returns the state if the lease is held. */
export async function recordRejected(
  sql: TransactionSql,
  attempt: Attempt,
  version: number,
  error: AttemptError,
): Promise<SyncRow['state'] | undefined> {
  const [row] = await sql<{ state: SyncRow['state'] }[]>`
    update calendar_syncs
    set state = case when desired_version = ${version} then 'needs_attention' else 'pending' end,
        next_attempt_at = case when desired_version = ${version} then null else clock_timestamp() end,
        last_error_code = ${error.code}, last_error_detail = ${error.detail}, lease_token = null, lease_until = null
    ${ofAttempt(sql, attempt)}
    returning state`;
  return row?.state;
}

/** Why and until when the calendar is not called. */
const wait = (sql: TransactionSql, { delayMs, reason }: Wait) => sql`
  next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond', ${setWait(sql, reason)}`;

/** Delays the next attempt of a row without a lease, because the circuit blocks calls. Returns when it is due. */
export async function postpone(sql: TransactionSql, { storeId, id }: RowKey, until: Wait): Promise<Date> {
  const [row] = await sql<{ next_attempt_at: Date }[]>`
    update calendar_syncs set ${wait(sql, until)}
    where store_id = ${storeId} and appointment_id = ${id}
    returning next_attempt_at`;
  return row?.next_attempt_at as Date;
}

/**
 * Stops the pending syncs of a refused connection until a person reconnects the calendar. A running attempt keeps its
 * lease. If its sync stays pending, the next step stops it.
 */
export async function markSyncsRefused(
  sql: TransactionSql,
  storeId: string,
  connectionId: string,
  error: AttemptError,
): Promise<void> {
  await sql`
    update calendar_syncs
    set state = 'needs_attention', next_attempt_at = null, lease_token = null, lease_until = null,
        last_error_code = ${error.code}, last_error_detail = ${error.detail}
    where store_id = ${storeId} and connection_id = ${connectionId} and state = 'pending'
      and (lease_until is null or lease_until <= clock_timestamp())`;
}
