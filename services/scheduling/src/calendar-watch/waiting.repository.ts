import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import type { WaitingRows } from '@mostrador/kit/step/waiting';

/** A watch that is due, with what says why it waits. */
export type WaitingWatchRow = {
  readonly id: string;
  readonly attempts: number;
  readonly wake_at: Date;
  readonly lease_until: Date | null;
  readonly last_error_code: string | null;
  readonly needs_attention: boolean;
  /** The time of the database clock. */
  readonly now: Date;
};

const due = (sql: Sql, storeId: string) => sql`
  select w.connection_id as id, w.attempts, w.wake_at, w.lease_until, w.last_error_code,
    c.status = 'needs_attention' as needs_attention, clock_timestamp() as now
  from calendar_watches w
  join calendar_connections c on c.store_id = w.store_id and c.id = w.connection_id and c.disconnected_at is null
  where w.store_id = ${storeId} and w.wake_at <= clock_timestamp()`;

export const findWaitingWatches = (sql: Sql, storeId: string, { after, before, ids, limit }: WaitingRows) =>
  sql<WaitingWatchRow[]>`
    ${due(sql, storeId)}
      ${after ? sql`and (w.wake_at, w.connection_id) > (${after.since}, ${after.id})` : sql``}
      ${before ? sql`and w.wake_at < ${before}` : sql``}
      ${ids ? sql`and w.connection_id = any(${[...ids]}::uuid[])` : sql``}
    order by w.wake_at, w.connection_id
    limit ${limit}`;

/** Stores with a watch that is due. */
export const findWatchStores = (systemSql: Sql, { after, limit }: { after: string; limit: number }) =>
  systemSql<{ store_id: string }[]>`
    select distinct store_id from calendar_watches
    where wake_at <= clock_timestamp() and store_id > ${after} order by store_id limit ${limit}`;

/** Locks a watch that is due, as the claim of a step does. */
export async function lockWaitingWatch(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<WaitingWatchRow | undefined> {
  await sql`
    select from calendar_watches where store_id = ${storeId} and connection_id = ${id} for no key update`;
  const [row] = await sql<WaitingWatchRow[]>`${due(sql, storeId)} and w.connection_id = ${id}`;
  return row;
}

export async function saveWatchRetry(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`
    update calendar_watches set wake_at = ${dueNow(sql)} where store_id = ${storeId} and connection_id = ${id}`;
}
