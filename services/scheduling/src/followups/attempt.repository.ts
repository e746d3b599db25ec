import type { FollowupCancelReason } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { Attempt, AttemptError, RowKey } from '@mostrador/kit/step/retry-engine';
import type { FollowupRow } from './followup.ts';

/**
 * Begins an attempt with this text. The follow-up cannot be cancelled from now on. Other attempts wait while the lease is
 * valid.
 */
export async function claim(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  leaseMs: number,
  { message, template }: Pick<FollowupRow, 'message' | 'template'>,
): Promise<{ readonly attempt: Attempt; readonly firstAttemptAt: Date }> {
  const [row] = await sql<{ lease_token: string; attempts: number; first_attempt_at: Date }[]>`
    update followups
    set status = 'sending', message = ${message}, template = ${template && sql.json(template as never)},
        attempts = attempts + 1, lease_token = gen_random_uuid(),
        lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
        next_attempt_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
        first_attempt_at = coalesce(first_attempt_at, clock_timestamp()),
        updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and id = ${id} and status in ('pending', 'sending')
    returning lease_token, attempts, first_attempt_at`;
  const { lease_token, attempts, first_attempt_at } = row as NonNullable<typeof row>;
  return { attempt: { storeId, id, leaseToken: lease_token, number: attempts }, firstAttemptAt: first_attempt_at };
}

/** Delays a follow-up that is due outside of the sending window. It can still be cancelled. */
export async function postpone(sql: TransactionSql, { storeId, id }: RowKey, until: Date): Promise<void> {
  await sql`
    update followups set next_attempt_at = ${until}, updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and id = ${id} and status = 'pending'`;
}

/** Fails a follow-up without an attempt. */
export async function failUnsent(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  { code, detail }: AttemptError,
): Promise<FollowupRow> {
  const [row] = await sql<[FollowupRow]>`
    update followups
    set status = 'failed', next_attempt_at = null, error_code = ${code}, error_detail = ${detail},
        updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and id = ${id} and status = 'pending'
    returning *`;
  return row;
}

const ofAttempt = (sql: TransactionSql, { storeId, id, leaseToken }: Attempt) =>
  sql`where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}`;
const over = (sql: TransactionSql) =>
  sql`lease_token = null, lease_until = null, updated_at = greatest(clock_timestamp(), updated_at)`;

// Each of these functions returns a falsy value and writes nothing when the attempt has lost its lease.

/** Records that messaging accepted the message, which resets `attempts` to 1. The next poll is due after `delayMs`. */
export async function recordAccepted(
  sql: TransactionSql,
  attempt: Attempt,
  delayMs: number,
): Promise<Date | undefined> {
  const [row] = await sql<{ next_attempt_at: Date }[]>`
    update followups
    set attempts = case when message_id is null then 1 else attempts end, message_id = id,
        error_code = null, error_detail = null,
        next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond', ${over(sql)}
    ${ofAttempt(sql, attempt)}
    returning next_attempt_at`;
  return row?.next_attempt_at;
}

export async function recordSent(sql: TransactionSql, attempt: Attempt): Promise<FollowupRow | undefined> {
  const [row] = await sql<FollowupRow[]>`
    update followups
    set status = 'sent', message_id = id, next_attempt_at = null, error_code = null, error_detail = null,
        answer_check_at = case when asks_confirmation then clock_timestamp() + interval '15 minutes' end, ${over(sql)}
    ${ofAttempt(sql, attempt)}
    returning *`;
  return row;
}

/** `becameMessage`: messaging had accepted the follow-up, so `message_id` names a message. */
export async function recordFailed(
  sql: TransactionSql,
  attempt: Attempt,
  error: AttemptError,
  becameMessage: boolean,
): Promise<FollowupRow | undefined> {
  const [row] = await sql<FollowupRow[]>`
    update followups
    set status = 'failed', message_id = case when ${becameMessage} then id else message_id end, next_attempt_at = null,
        error_code = ${error.code}, error_detail = ${error.detail}, ${over(sql)}
    ${ofAttempt(sql, attempt)}
    returning *`;
  return row;
}

/** `becameMessage` as in `recordFailed`. */
export async function recordCancelled(
  sql: TransactionSql,
  attempt: Attempt,
  reason: FollowupCancelReason,
  becameMessage: boolean,
): Promise<FollowupRow | undefined> {
  const [row] = await sql<FollowupRow[]>`
    update followups
    set status = 'cancelled', cancel_reason = ${reason}, next_attempt_at = null,
        message_id = case when ${becameMessage} then id else message_id end, ${over(sql)}
    ${ofAttempt(sql, attempt)}
    returning *`;
  return row;
}

/** Makes the follow-up pending again, so that it can be cancelled until the next attempt. Returns when that is due. */
export async function recordRefusedForNow(
  sql: TransactionSql,
  attempt: Attempt,
  error: AttemptError,
  delayMs: number,
): Promise<Date | undefined> {
  const [row] = await sql<{ next_attempt_at: Date }[]>`
    update followups
    set status = 'pending', next_attempt_at = clock_timestamp() + ${delayMs} * interval '1 millisecond',
        error_code = ${error.code}, error_detail = ${error.detail}, ${over(sql)}
    ${ofAttempt(sql, attempt)}
    returning next_attempt_at`;
  return row?.next_attempt_at;
}

/** Releases the lease, because no process got the request. The next step does not have to wait. */
export async function recordNotCalled(sql: TransactionSql, attempt: Attempt): Promise<void> {
  await sql`update followups set next_attempt_at = ${dueNow(sql)}, ${over(sql)} ${ofAttempt(sql, attempt)}`;
}
