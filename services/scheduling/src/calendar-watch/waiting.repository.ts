import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { WaitingRows } from '@mostrador/kit/step/waiting';

/** A watch that is due, or whose last read failed, with what says why it waits. */
export type WaitingWatchRow = {
  readonly id: string;
  readonly attempts: number;
  /** Since when it is due, or since when the store's calendar has not been read. */
  readonly since: Date;
  /** When the next read is due. */
  readonly wake_at: Date;
  readonly lease_until: Date | null;
  readonly last_error_code: string | null;
  readonly needs_attention: boolean;
  /** The time of the database clock. */
  readonly now: Date;
};

/** Those of a store: one, or a few while calendars are replaced. */
const waiting = (sql: Sql, storeId: string) => sql`
  select * from (
    select w.connection_id as id, w.attempts, w.wake_at, w.lease_until, w.last_error_code,
      date_trunc('milliseconds', case when w.wake_at <= statement_timestamp() then w.wake_at
        else coalesce(w.listed_at, c.connected_at) end) as since,
      c.status = 'needs_attention' as needs_attention, clock_timestamp() as now
    from calendar_watches w
    join calendar_connections c on c.store_id = w.store_id and c.id = w.connection_id and c.disconnected_at is null
    where w.store_id = ${storeId} and (w.wake_at <= statement_timestamp() or w.last_error_code is not null)) as w`;

export const findWaitingWatches = (sql: Sql, storeId: string, { after, before, ids, limit }: WaitingRows) =>
  sql<WaitingWatchRow[]>`
    ${waiting(sql, storeId)}
    where true
      ${after ? sql`and (since, id) > (${after.since}, ${after.id})` : sql``}
      ${before ? sql`and since < ${before}` : sql``}
      ${ids ? sql`and id = any(${[...ids]}::uuid[])` : sql``}
    order by since, id
    limit ${limit}`;

/** Stores with a watch that is due, or whose last read failed. Two parts, because each has its index. */
export const findWatchStores = (systemSql: Sql, { after, limit }: { after: string; limit: number }) =>
  systemSql<{ store_id: string }[]>`
    select store_id from calendar_watches where wake_at <= statement_timestamp() and store_id > ${after}
    union
    select store_id from calendar_watches where last_error_code is not null and store_id > ${after}
    order by store_id limit ${limit}`;

/** Locks a watch that waits, as the claim of a step does. */
export async function lockWaitingWatch(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<WaitingWatchRow | undefined> {
  await sql`
    select from calendar_watches where store_id = ${storeId} and connection_id = ${id} for no key update`;
  const [row] = await sql<WaitingWatchRow[]>`${waiting(sql, storeId)} where id = ${id}`;
  return row;
}

export async function saveWatchRetry(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update calendar_watches set wake_at = ${dueNow(sql)} where store_id = ${storeId} and connection_id = ${id}`;
}
