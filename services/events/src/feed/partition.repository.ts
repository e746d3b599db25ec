import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

const feedsPerBatch = 500;

/** Makes the partition of a day, unless it exists. */
export async function makePartition(sql: TransactionSql, day: string): Promise<void> {
  await sql`select make_event_partition(${day}::text::date)`;
}

/** Drops the partition of a day, unless requests hold it for too long (`lock_timeout`). */
export async function dropPartition(sql: TransactionSql, day: string): Promise<void> {
  await sql`select drop_event_partition(${day}::text::date)`;
}

/** The days that have a partition, in order. */
export async function findPartitionDays(sql: Sql): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select to_date(right(relname, 8), 'YYYYMMDD')::text as day
    from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'events'::regclass order by 1`;
  return rows.map(({ day }) => day);
}

/**
 * Moves `oldest_sequence` past the events from before a day, in feeds after `after`, in one order.
 *
 * @returns the last feed that was looked at; undefined when there is none left
 */
export async function expireFeeds(
  sql: TransactionSql,
  { before, after }: { before: string; after: string | undefined },
): Promise<string | undefined> {
  const rows = await sql<{ store_id: string }[]>`
    select store_id from feeds where ${after ?? null}::uuid is null or store_id > ${after ?? null}
    order by store_id limit ${feedsPerBatch} for no key update`;
  const ids = rows.map(({ store_id }) => store_id);
  if (ids.length === 0) return undefined;
  await sql`
    update feeds set oldest_sequence = expired.sequence + 1
    from unnest(${ids}::uuid[]) as feed (store_id), lateral (
      select sequence from events
      where events.store_id = feed.store_id and appended_at < ${before}::text::date::timestamp at time zone 'UTC'
      order by sequence desc limit 1) as expired
    where feeds.store_id = feed.store_id and oldest_sequence <= expired.sequence`;
  return ids.at(-1);
}
