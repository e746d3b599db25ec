import { randomUUID } from 'node:crypto';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { BlockedReason } from '@mostrador/kit/resilience/circuit';
import { setWait } from '@mostrador/kit/resilience/provider-circuit.repository';
import type { Attempt, AttemptError, RowKey } from '@mostrador/kit/step/retry-engine';
import { spentPair } from '../conversations/conversation.repository.ts';
import { messageColumns } from '../messages/message.repository.ts';
import type { MessageRow } from '../messages/message.ts';
import { saveNumber } from './delivery.repository.ts';
import type { NumberState } from './rates.ts';

/**
 * Begins attempt `number` and stores the number's rate limits, which the caller has locked. The statement travels with
 * the commit. No other attempt can begin while the lease lasts.
 */
export function claim(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  leaseMs: number,
  { number, channelId, rates }: { number: number; channelId: string; rates: NumberState },
): Attempt {
  const leaseToken = randomUUID();
  sql.withCommit(sql`
    with number as (${saveNumber(sql, storeId, channelId, rates)})
    update messages
    set status = 'sending', channel_id = ${channelId}, attempts = attempts + 1, lease_token = ${leaseToken},
        lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond', next_attempt_at = null, slot_at = null
    where store_id = ${storeId} and id = ${id}`);
  return { storeId, id, leaseToken, number };
}

/** Makes a queued message its template, with the text that the customer reads. Returns the saved row. */
export async function saveAsTemplate(
  sql: TransactionSql,
  storeId: string,
  id: string,
  body: string,
): Promise<MessageRow> {
  const [row] = await sql<[MessageRow]>`
    update messages set kind = 'template', body = ${body} where store_id = ${storeId} and id = ${id}
    returning ${messageColumns(sql)}`;
  return row;
}

/** Postpones the head of a queue, and with it the messages behind it. Returns when the next attempt is due. */
export async function postpone(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  { delayMs, slotAt, blocked }: { delayMs: number; slotAt?: Date; blocked?: BlockedReason },
): Promise<Date> {
  const [row] = await sql<{ next_attempt_at: Date }[]>`
    update messages
    set next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond', slot_at = ${slotAt ?? null},
        ${setWait(sql, blocked)}
    where store_id = ${storeId} and id = ${id}
    returning next_attempt_at`;
  return row?.next_attempt_at as Date;
}

const ofAttempt = (sql: TransactionSql, { storeId, id, leaseToken }: Attempt) =>
  sql`where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken} and status = 'sending'`;

/** The provider certainly did not accept the message. The next attempt is due after `delayMs`. */
export async function recordNotSent(
  sql: TransactionSql,
  attempt: Attempt,
  error: AttemptError,
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
export async function recordNotCalled(
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
export async function holdsLease(sql: TransactionSql, attempt: Attempt): Promise<boolean> {
  return (await sql`select 1 from messages ${ofAttempt(sql, attempt)}`).length > 0;
}

/** The provider may have accepted the message. It is never sent again. Returns the saved row. */
export async function markUnknown(
  sql: TransactionSql,
  storeId: string,
  id: string,
  error: AttemptError,
  unsettledAfterMs: number,
): Promise<MessageRow> {
  const [row] = await sql<[MessageRow]>`
    update messages
    set status = 'unknown', unknown_since = clock_timestamp(), lease_token = null, lease_until = null,
        unsettled_at = clock_timestamp() + ${unsettledAfterMs} * interval '1 millisecond',
        error_code = ${error.code}, error_detail = ${error.detail}
    where store_id = ${storeId} and id = ${id}
    returning ${messageColumns(sql)}`;
  return row;
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
