import type { Span } from '@mostrador/hours/local-days';
import type { Sql } from '@mostrador/kit/database/database';
import { type WantedTime, wantedTimes } from './booking.repository.ts';

/** When the store's calendar is busy in any of these times with their buffers, with what is no appointment. */
export async function listBusyIn(sql: Sql, storeId: string, times: readonly WantedTime[]): Promise<Span[]> {
  return (
    await sql<BusyRow[]>`
      ${wantedTimes(sql, storeId, times)}
      select distinct b.starts_at, b.ends_at, b.href from wanted
      join calendar_busy_times b on b.store_id = ${storeId}
        and tstzrange(b.starts_at, b.ends_at) && tstzrange(wanted.starts, wanted.ends)`
  ).map(toSpan);
}

type BusyRow = { readonly starts_at: Date; readonly ends_at: Date };
const toSpan = ({ starts_at, ends_at }: BusyRow): Span => ({ start: starts_at.getTime(), end: ends_at.getTime() });

/** When the store's calendar is busy in any of these spans, with what is no appointment. */
export async function listBusyTimes(sql: Sql, storeId: string, spans: readonly Span[]): Promise<Span[]> {
  const starts = spans.map(({ start }) => new Date(start).toISOString());
  const ends = spans.map(({ end }) => new Date(end).toISOString());
  const rows = await sql<BusyRow[]>`
    select distinct b.starts_at, b.ends_at, b.href
    from unnest(${starts}::timestamptz[], ${ends}::timestamptz[]) as wanted (starts, ends)
    join calendar_busy_times b on b.store_id = ${storeId}
      and tstzrange(b.starts_at, b.ends_at) && tstzrange(wanted.starts, wanted.ends)`;
  return rows.map(toSpan);
}
