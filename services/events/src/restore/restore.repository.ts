import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/**
 * Waits for the appends that run, and holds back others until the transaction ends. So each append, also one that makes
 * its feed, sees the fence or is seen by it. Readers go on.
 */
export async function holdAppends(sql: TransactionSql): Promise<void> {
  await sql`lock table feeds in exclusive mode`;
}

/**
 * The number after which all feeds go on, the same for every call with one `since`. It is the clock in hundredths of a
 * millisecond, and not a step from the numbers that the database has, because a later restore takes it back, too. No
 * feed grows by 100,000 events a second, so the clock is above every number that was ever given.
 */
export async function beginEpoch(sql: TransactionSql, since: Date): Promise<number> {
  const [row] = await sql<[{ base: number }]>`
    insert into restore_fence as known (since, base)
    values (${since}, greatest(
      (extract(epoch from clock_timestamp()) * 100000)::bigint,
      -- a clock that was set back
      (select max(last_sequence) + 1 from feeds)))
    on conflict (one) do update
      set since = excluded.since, base = case when known.since = excluded.since then known.base else excluded.base end
    returning base`;
  return row.base;
}

/** Restarts the feeds that are not above `base` yet. Returns how many. */
export async function restartFeeds(sql: TransactionSql, base: number): Promise<number> {
  const { count } = await sql`
    update feeds set last_sequence = ${base}, oldest_sequence = ${base}::bigint + 1 where last_sequence < ${base}`;
  return count;
}

/** How many feeds a fence of this restore would restart. */
export async function countToFence(sql: Sql, since: Date): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) from feeds
    where not exists (select from restore_fence where since = ${since} and base <= feeds.last_sequence)`;
  return row.count;
}
