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

/** When the store's calendar is busy in any of these spans, with what is no appointment. */
export const listBusyTimes = async (sql: Sql, storeId: string, spans: readonly Span[]): Promise<Span[]> =>
  (await findBusyTimes(sql, storeId, spans)).map(toSpan);

export const findBusyTimes = (sql: Sql, storeId: string, spans: readonly Span[]) => {
  const starts = spans.map(({ start }) => new Date(start).toISOString());
  const ends = spans.map(({ end }) => new Date(end).toISOString());
  return sql<BusyRow[]>`
    with wanted as materialized (
      select * from unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) as spans (starts, ends))
    ${busyInWanted(sql, storeId)}`;
};
