import type { Span } from '@mostrador/hours/local-days';
import type { Sql } from '@mostrador/kit/database/database';

/** When the store's calendar is busy in any of these spans, with what is no appointment. */
export async function listBusyTimes(sql: Sql, storeId: string, spans: readonly Span[]): Promise<Span[]> {
  const starts = spans.map(({ start }) => new Date(start).toISOString());
  const ends = spans.map(({ end }) => new Date(end).toISOString());
  const rows = await sql<{ starts_at: Date; ends_at: Date }[]>`
    select distinct b.starts_at, b.ends_at, b.href
    from unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) as wanted (starts, ends)
    join calendar_busy_times b on b.store_id = ${storeId}
      and tstzrange(b.starts_at, b.ends_at) && tstzrange(wanted.starts, wanted.ends)`;
  return rows.map(({ starts_at, ends_at }) => ({ start: starts_at.getTime(), end: ends_at.getTime() }));
}
