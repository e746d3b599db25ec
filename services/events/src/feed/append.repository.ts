import type { FeedEntry } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { FeedEnd, NumberedEntry } from './number-entries.ts';
import { clockMarginMs } from './partitions.ts';

/** Locks the feeds of the stores in one order, and creates missing ones. Until the transaction ends no other grows them. */
export async function lockFeeds(sql: TransactionSql, storeIds: readonly string[], at: Date): Promise<FeedEnd[]> {
  const ids = [...storeIds].sort();
  const lock = () => sql<FeedEnd[]>`
    select store_id, last_sequence, last_appended_at from feeds where store_id = any(${ids}::uuid[])
    order by store_id for no key update`;
  const feeds = await lock();
  if (feeds.length === ids.length) return feeds;
  await sql`
    insert into feeds (store_id, last_sequence, oldest_sequence, last_appended_at)
    select store_id, base, base + 1, ${at}
    from unnest(${ids}::uuid[]) as store_id, (select coalesce((select base from restore_fence), 0) as base) as fence
    on conflict do nothing`;
  return await lock();
}

/**
 * Those entries that the feeds have. It looks only into partitions from the day before the entries were created, or
 * before today when a clock was ahead.
 */
export function findKnown(sql: Sql, entries: readonly FeedEntry[], at: Date) {
  const times = entries.map(({ created_at }) => Date.parse(created_at));
  const since = new Date(Math.min(at.getTime(), ...times) - clockMarginMs);
  return sql<{ id: string }[]>`
    select id from events where id = any(${entries.map(({ id }) => id)}::uuid[]) and appended_at >= ${since}`;
}

/** What the versions of entities are counted from. Read while feeds are locked, so no fence moves it. */
export async function findVersionBase(sql: TransactionSql): Promise<number> {
  const [row] = await sql<{ base: number }[]>`select base from restore_fence`;
  return row?.base ?? 0;
}

const jsonOrNull = (value: object | null | undefined): string | null => (value ? JSON.stringify(value) : null);

/** Inserts the events, their versions counted from `versionBase`, and moves the ends of their feeds. */
export async function insertEvents(
  sql: TransactionSql,
  { events, feeds }: { events: readonly NumberedEntry[]; feeds: readonly FeedEnd[] },
  versionBase: number,
): Promise<void> {
  const of = <T>(pick: (event: NumberedEntry) => T) => events.map(pick);
  await sql`
    with appended as (
      insert into events (store_id, sequence, id, type, entity_type, entity_id, entity_version, data, created_at, appended_at,
                          etag, actor, request_id, previous)
      select * from unnest(
        ${of(({ store_id }) => store_id)}::uuid[], ${of(({ sequence }) => sequence)}::int8[],
        ${of(({ id }) => id)}::uuid[], ${of(({ type }) => type)}::text[],
        ${of(({ entity }) => entity.type)}::text[], ${of(({ entity }) => entity.id)}::uuid[],
        ${of(({ entity }) => versionBase + entity.version)}::int8[], ${of(({ data }) => JSON.stringify(data))}::jsonb[],
        ${of(({ created_at }) => created_at)}::timestamptz[], ${of(({ appended_at }) => appended_at.toISOString())}::timestamptz[],
        ${of(({ entity }) => entity.etag ?? null)}::text[], ${of(({ actor }) => jsonOrNull(actor))}::jsonb[],
        ${of(({ request_id }) => request_id ?? null)}::text[], ${of(({ previous }) => jsonOrNull(previous))}::jsonb[]))
    update feeds set last_sequence = grown.last_sequence, last_appended_at = grown.last_appended_at
    from unnest(
      ${feeds.map(({ store_id }) => store_id)}::uuid[], ${feeds.map(({ last_sequence }) => last_sequence)}::int8[],
      ${feeds.map(({ last_appended_at }) => last_appended_at.toISOString())}::timestamptz[]
    ) as grown (store_id, last_sequence, last_appended_at)
    where feeds.store_id = grown.store_id`;
}

/** Whether an insert failed because no partition has the day of the event. */
export const isWithoutPartition = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23514' && error.message.startsWith('no partition of');
