import type { TransactionSql } from '@mostrador/kit/database/database';

/** An attempt that runs; what it records counts only while the lease is its own. */
export type Attempt = { readonly storeId: string; readonly id: string; readonly leaseToken: string };

type SendError = { readonly code: string; readonly detail: string };

const own = (sql: TransactionSql, { storeId, id, leaseToken }: Attempt) =>
  sql`where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken} and status = 'sending'`;

/** It was certainly not sent, and is tried again after `delayMs`. */
export async function recordNotSent(
  sql: TransactionSql,
  attempt: Attempt,
  error: SendError,
  delayMs: number,
): Promise<void> {
  await sql`
    update messages
    set status = 'queued', next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond',
        error_code = ${error.code}, error_detail = ${error.detail}, lease_token = null, lease_until = null
    ${own(sql, attempt)}`;
}

/** The attempt was not made after all, and does not count. */
export async function recordNotMade(sql: TransactionSql, attempt: Attempt, delayMs: number): Promise<void> {
  await sql`
    update messages
    set status = 'queued', attempts = greatest(attempts - 1, 0), lease_token = null, lease_until = null,
        next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond'
    ${own(sql, attempt)}`;
}

/** Whether the attempt still holds its lease. */
export async function isOwn(sql: TransactionSql, attempt: Attempt): Promise<boolean> {
  return (await sql`select 1 from messages ${own(sql, attempt)}`).length > 0;
}

/** It may or may not have been sent: from now on it is never sent again. */
export async function markUnknown(
  sql: TransactionSql,
  storeId: string,
  id: string,
  error: SendError,
  unsettledAfterMs: number,
): Promise<void> {
  await sql`
    update messages
    set status = 'unknown', unknown_since = clock_timestamp(), lease_token = null, lease_until = null,
        unsettled_at = clock_timestamp() + ${unsettledAfterMs} * interval '1 millisecond',
        error_code = ${error.code}, error_detail = ${error.detail}
    where store_id = ${storeId} and id = ${id}`;
}

/** The watchdog looks whether the provider has reported on the message by then. */
export async function watch(sql: TransactionSql, storeId: string, id: string, afterMs: number): Promise<void> {
  await sql`
    update messages set unsettled_at = clock_timestamp() + ${afterMs} * interval '1 millisecond'
    where store_id = ${storeId} and id = ${id}`;
}

/**
 * One message of the pair's rate is used up. Counted when the answer is there, and so never before the provider counted
 * it: for what we let through, its own bucket has room.
 */
export async function spendPair(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { intervalMs }: { readonly intervalMs: number },
): Promise<void> {
  await sql`
    update conversations
    set pair_tat = greatest(pair_tat, clock_timestamp()) + ${intervalMs} * interval '1 millisecond'
    where store_id = ${storeId} and lead_id = ${leadId}`;
}

/** The channel's own id of the lead, once; an id that another lead of the store has already stays that lead's. */
export async function saveWaId(sql: TransactionSql, storeId: string, leadId: string, waId: string): Promise<void> {
  await sql`
    update conversations set wa_id = ${waId}
    where store_id = ${storeId} and lead_id = ${leadId} and wa_id is null
      and not exists (select 1 from conversations other where other.store_id = ${storeId} and other.wa_id = ${waId})`;
}
