import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { Attempt, RowKey } from '@mostrador/kit/step/retry-engine';

/**
 * Before the calendar is asked what has changed: what it tells from now on is another change. Of a channel that is asked
 * for, the secret is known from now on, because the calendar may tell before it has answered.
 */
export async function beginList(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  askedTokenHash: Buffer | undefined,
): Promise<void> {
  await sql`
    update calendar_watches
    set notified_at = null,
        channel_tried_at = case when ${askedTokenHash !== undefined} then clock_timestamp() else channel_tried_at end,
        asked_channel_token_hash = coalesce(${askedTokenHash ?? null}::bytea, asked_channel_token_hash)
    where store_id = ${storeId} and connection_id = ${id}`;
}

/** The channel that was asked for replaces the one before, if this attempt still has its lease. What that tells is refused. */
export async function saveChannel(
  sql: TransactionSql,
  { storeId, id, leaseToken }: Attempt,
  expiresAt: Date,
): Promise<void> {
  await sql`
    update calendar_watches
    set channel_token_hash = asked_channel_token_hash, channel_expires_at = ${expiresAt}, asked_channel_token_hash = null
    where store_id = ${storeId} and connection_id = ${id} and lease_token = ${leaseToken}`;
}

/** The query for the watch whose channel has this token, also one whose answer is not recorded: one row, or none. */
export const findChannel = (systemSql: Sql, tokenHash: Buffer) =>
  systemSql<{ store_id: string; connection_id: string }[]>`
    select store_id, connection_id from calendar_watches
    where channel_token_hash = ${tokenHash} or asked_channel_token_hash = ${tokenHash}`;

/**
 * Notes that the calendar has changed, and lets the next look be due soon, at most once in `leastMs`. One that runs is
 * followed by another. Returns whether the next look is earlier now.
 */
export async function noteChange(sql: TransactionSql, { storeId, id }: RowKey, leastMs: number): Promise<boolean> {
  const [row] = await sql<{ is_earlier: boolean }[]>`
    update calendar_watches
    set notified_at = clock_timestamp(),
        wake_at = case when attempts > 0 then wake_at
          else least(wake_at, greatest(${dueNow(sql)}, listed_at + ${leastMs} * interval '1 millisecond')) end
    where store_id = ${storeId} and connection_id = ${id}
    returning new.wake_at < old.wake_at as is_earlier`;
  return row?.is_earlier ?? false;
}
