import type { TransactionSql } from '@mostrador/kit/database/database';
import type { BlockedReason } from '@mostrador/kit/resilience/circuit';
import { setWait } from '@mostrador/kit/resilience/provider-circuit.repository';
import { spentPair } from '../conversations/conversation.repository.ts';

/** A running attempt. It may record a result only while it holds the lease. */
export type Attempt = { readonly storeId: string; readonly id: string; readonly leaseToken: string };

type SendError = { readonly code: string; readonly detail: string };

const ofAttempt = (sql: TransactionSql, { storeId, id, leaseToken }: Attempt) =>
  sql`where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken} and status = 'sending'`;

/** The provider certainly did not accept the message. The next attempt is due after `delayMs`. */
export async function recordNotSent(
  sql: TransactionSql,
  attempt: Attempt,
  error: SendError,
  delayMs: number,
): Promise<void> {
  await sql`
    update messages
    set status = 'queued', next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond',
        error_code = ${error.code}, error_detail = ${error.detail}, lease_token = null, lease_until = null,
        ${setWait(sql)}
    ${ofAttempt(sql, attempt)}`;
}

/** The attempt made no call to the provider, so it does not count. The next attempt is due after `delayMs`. */
export async function recordNotMade(
  sql: TransactionSql,
  attempt: Attempt,
  delayMs: number,
  reason: BlockedReason,
): Promise<void> {
  await sql`
    update messages
    set status = 'queued', attempts = greatest(attempts - 1, 0), lease_token = null, lease_until = null,
        next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond', ${setWait(sql, reason)}
    ${ofAttempt(sql, attempt)}`;
}

/** Whether the attempt still holds its lease. */
export async function isOwn(sql: TransactionSql, attempt: Attempt): Promise<boolean> {
  return (await sql`select 1 from messages ${ofAttempt(sql, attempt)}`).length > 0;
}

/** The provider may have accepted the message. It is never sent again. */
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

/** Makes the watchdog publish an event if no status update arrives within `afterMs`. */
export async function watch(sql: TransactionSql, storeId: string, id: string, afterMs: number): Promise<void> {
  await sql`
    update messages set unsettled_at = clock_timestamp() + ${afterMs} * interval '1 millisecond'
    where store_id = ${storeId} and id = ${id}`;
}

/**
 * Counts one message against the pair's rate limit. The caller counts after the provider's answer, and so never before
 * the provider does. The provider's own limit therefore always has room for what this one lets through.
 */
export async function spendPair(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  rate: { readonly intervalMs: number },
): Promise<void> {
  await sql`
    update conversations set pair_tat = ${spentPair(sql, rate)}
    where store_id = ${storeId} and lead_id = ${leadId}`;
}

/** Stores the channel's id of the lead, unless the lead has one or another lead of the store has this id. */
export async function saveWaId(sql: TransactionSql, storeId: string, leadId: string, waId: string): Promise<void> {
  await sql`
    update conversations set wa_id = ${waId}
    where store_id = ${storeId} and lead_id = ${leadId} and wa_id is null
      and not exists (select 1 from conversations other where other.store_id = ${storeId} and other.wa_id = ${waId})`;
}
