import type { Span } from '@mostrador/hours/local-days';
import type { Sql } from '@mostrador/kit/database/database';

/**
 * The query for what is busy in the times of a CTE `wanted`, once each: one search for each of them. Plain columns are
 * compared, because below row-level security nothing else uses an index.
 */
export const busyInWanted = (sql: Sql, storeId: string) => sql`
  select distinct found.* from wanted, lateral (
    select b.starts_at, b.ends_at, b.href from calendar_busy_times b
    where b.store_id = ${storeId} and b.starts_at < wanted.ends and b.ends_at > wanted.starts
    offset 0) found`;

type BusyRow = { readonly starts_at: Date; readonly ends_at: Date };
export const toSpan = ({ starts_at, ends_at }: BusyRow): Span => ({
  start: starts_at.getTime(),
  end: ends_at.getTime(),
});

/** The query for when the store's calendar is busy in the span, with what is no appointment. */
export const findBusyTimes = (sql: Sql, storeId: string, { start, end }: Span) =>
  sql<BusyRow[]>`
    select starts_at, ends_at from calendar_busy_times
    where store_id = ${storeId} and starts_at < ${new Date(end)} and ends_at > ${new Date(start)}`;

/** The query for when the store's calendar is busy in the span, in order: times that touch are one. */
export const findMergedBusyTimes = (sql: Sql, storeId: string, { start, end }: Span, limit: number) =>
  sql<BusyRow[]>`
    select lower(span) as starts_at, upper(span) as ends_at
    from (
      select unnest(range_agg(tstzrange(starts_at, ends_at))) as span from calendar_busy_times
      where store_id = ${storeId} and starts_at < ${new Date(end)} and ends_at > ${new Date(start)}) merged
    order by span limit ${limit}`;
