import { mostBufferMinutes } from '@mostrador/contracts';
import type { Span } from '@mostrador/hours/local-days';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { rowsAsJson } from '@mostrador/kit/database/types';
import { busyInWanted } from './busy.repository.ts';
import type { Spans } from './spans.ts';

/** A row of `bookings`: a place that is taken. */
export type BookingRow = {
  readonly id: string;
  readonly place: string;
  readonly seller_id: string | null;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly scheduled_at: Date;
  readonly duration_minutes: number;
  readonly service_id: string | null;
  /** Null: an appointment. */
  readonly expires_at: Date | null;
  readonly renewed: boolean;
};

const columns = (sql: Sql) => sql`
  id, place, seller_id, starts_at, ends_at, scheduled_at, duration_minutes, service_id, expires_at, renewed`;

/** A booking as it is read. An expired hold blocks nothing, but its row must be deleted before its place is taken. */
export type SeenBooking = BookingRow & { readonly is_expired: boolean };

const seen = (sql: Sql) => sql`
  ${columns(sql)}, coalesce(expires_at <= statement_timestamp(), false) as is_expired`;

/** What asks for a place. */
export type WantedTime = Pick<BookingRow, 'scheduled_at' | 'duration_minutes' | 'service_id'>;

/**
 * The times with their buffers as a CTE `wanted`, so that they can be sent together with the lock of the rules. No booking is
 * longer than 48 hours: those that still run begin after `earliest`. It is materialized, so that plain columns are compared:
 * below row-level security a comparison with an inlined calculation uses no index.
 */
const wantedTimes = (sql: Sql, storeId: string, times: readonly WantedTime[]) => {
  const list = times.map((time) => ({
    at: time.scheduled_at,
    minutes: time.duration_minutes,
    service: time.service_id,
  }));
  return sql`
    with buffered as (
      select w.at - coalesce(s.buffer_before_minutes, r.buffer_before_minutes) * interval '1 minute' as starts,
        w.at + (w.minutes + coalesce(s.buffer_after_minutes, r.buffer_after_minutes)) * interval '1 minute' as ends
      from json_to_recordset(${JSON.stringify(list)}::text::json) as w (at timestamptz, minutes integer, service uuid)
      join booking_rules r on r.store_id = ${storeId}
      left join services s on s.store_id = ${storeId} and s.id = w.service
    ), wanted as materialized (select starts - interval '48 hours' as earliest, starts, ends from buffered)`;
};

/** A row of `findAround`. Without an id: a time at which the calendar is busy. */
type AroundRow = SeenBooking | { readonly id: null; readonly starts_at: Date; readonly ends_at: Date };

/**
 * The query for what is taken in any of these times, what has one of these ids, and when the calendar is busy in them. A
 * booking may come twice.
 */
export const findAround = (sql: Sql, storeId: string, times: readonly WantedTime[], ids: readonly string[]) =>
  // One search for each time: a join would be planned by the size of the table, which grows between two of its statistics.
  sql<AroundRow[]>`
    ${wantedTimes(sql, storeId, times)}
    select found.* from wanted, lateral (
      select ${seen(sql)} from bookings b
      where b.store_id = ${storeId} and b.starts_at < wanted.ends and b.starts_at > wanted.earliest
        and b.ends_at > wanted.starts
      offset 0) found
    union all
    select null, null, null, starts_at, ends_at, null, null, null, null, null, null
    from (${busyInWanted(sql, storeId)}) busy
    ${
      ids.length === 0
        ? sql``
        : sql`union all
          select ${seen(sql)} from bookings where store_id = ${storeId} and id = any(${[...ids]}::uuid[])`
    }`;

/** What is taken in a span. */
export async function listTouching(sql: Sql, storeId: string, { start, end }: Span): Promise<SeenBooking[]> {
  return await sql<SeenBooking[]>`
    select ${seen(sql)} from bookings
    where store_id = ${storeId} and starts_at < ${new Date(end)}
      and starts_at > ${new Date(start)}::timestamptz - interval '48 hours' and ends_at > ${new Date(start)}`;
}

/**
 * What is taken in a span, for searches: for each seller, and for the store itself (null), the starts and ends in epoch ms.
 * One row for each, because a busy store has thousands, and in PostgreSQL's binary form, because a text of each moment costs
 * more than finding it. Expired holds count as free, and so does `exceptId`.
 */
export async function listTaken(
  sql: Sql,
  storeId: string,
  { start, end }: Span,
  exceptId: string | null,
): Promise<Map<string | null, Spans>> {
  const rows = await sql<{ seller_id: string | null; starts: Buffer; ends: Buffer }[]>`
    select seller_id, string_agg(timestamptz_send(starts_at), '') as starts, string_agg(timestamptz_send(ends_at), '') as ends
    from bookings
    where store_id = ${storeId} and starts_at < ${new Date(end)}
      and starts_at > ${new Date(start)}::timestamptz - interval '48 hours' and ends_at > ${new Date(start)}
      and (expires_at is null or expires_at > clock_timestamp())
      ${exceptId ? sql`and id <> ${exceptId}` : sql``}
    group by seller_id`;
  return new Map(
    rows.map(({ seller_id, starts, ends }) => [seller_id, { starts: momentsIn(starts), ends: momentsIn(ends) }]),
  );
}

const year2000 = Date.UTC(2000, 0, 1);

/** Reads timestamps in binary form: microseconds since the year 2000, in 64 bits. A BigInt would take three times as long. */
function momentsIn({ buffer, byteOffset, byteLength }: Buffer): Float64Array {
  const view = new DataView(buffer, byteOffset, byteLength);
  const moments = new Float64Array(byteLength / 8);
  for (let index = 0; index < moments.length; index += 1) {
    const microseconds = view.getInt32(8 * index) * 2 ** 32 + view.getUint32(8 * index + 4);
    moments[index] = microseconds / 1_000 + year2000;
  }
  return moments;
}

/** The query for a hold that has not expired: one row, or none. */
export const findHold = (sql: Sql, storeId: string, id: string) =>
  sql<BookingRow[]>`
    select ${columns(sql)} from bookings
    where store_id = ${storeId} and id = ${id} and expires_at > clock_timestamp()`;

/** Deletes expired holds, so that the constraint does not see them. */
export async function deleteExpiredHolds(sql: TransactionSql, storeId: string): Promise<void> {
  // Not clock_timestamp(), which no index condition can have.
  await sql`delete from bookings where store_id = ${storeId} and expires_at <= statement_timestamp()`;
}

/** Returns the rows as they were at that moment. */
export async function deleteBookings(
  sql: TransactionSql,
  storeId: string,
  ids: readonly string[],
): Promise<readonly BookingRow[]> {
  if (ids.length === 0) return [];
  return await sql<BookingRow[]>`
    delete from bookings where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) returning ${columns(sql)}`;
}

export async function insertBookings(
  sql: TransactionSql,
  storeId: string,
  bookings: readonly BookingRow[],
): Promise<void> {
  if (bookings.length > 0) await insertOf(sql, storeId, bookings);
}

/** The same, so that the commit does not wait for it. */
export function insertBookingsWithCommit(sql: TransactionSql, storeId: string, bookings: readonly BookingRow[]): void {
  if (bookings.length > 0) sql.withCommit(insertOf(sql, storeId, bookings));
}

const insertOf = (sql: TransactionSql, storeId: string, bookings: readonly BookingRow[]) => sql`
    insert into bookings (store_id, ${columns(sql)})
    select ${storeId}::uuid, ${columns(sql)}
    from json_to_recordset(${rowsAsJson(bookings)}::text::json) as taken (id uuid, place uuid, seller_id uuid,
      starts_at timestamptz, ends_at timestamptz, scheduled_at timestamptz, duration_minutes integer, service_id uuid,
      expires_at timestamptz, renewed boolean)`;

/** Lets a hold last until `expires_at`, unless it was renewed before. Returns the hold as it is then. */
export async function renewBooking(
  sql: TransactionSql,
  storeId: string,
  id: string,
  minutes: number,
): Promise<BookingRow | undefined> {
  const [row] = await sql<BookingRow[]>`
    update bookings set renewed = true, expires_at = clock_timestamp() + ${minutes} * interval '1 minute'
    where store_id = ${storeId} and id = ${id} and expires_at > clock_timestamp() and not renewed
    returning ${columns(sql)}`;
  return row;
}

/** Deletes what appointments take in a store. Holds stay. */
export async function deleteAllBookings(sql: TransactionSql, storeId: string): Promise<void> {
  await sql`delete from bookings where store_id = ${storeId} and expires_at is null`;
}

/** Whether an appointment `a` still takes a place: it is not over, or was over only just now, so that its buffer may run. */
const isComing = (sql: Sql) => sql`(
  a.scheduled_at > clock_timestamp() - interval '48 hours'
  and a.scheduled_at + (a.duration_minutes + ${mostBufferMinutes}::int) * interval '1 minute' > clock_timestamp())`;

/**
 * Deletes what appointments no longer take: those that are not scheduled, those that the previous version has moved, and the
 * coming ones whose buffers are others now, or that have no place of their seller.
 */
export async function deleteStaleBookings(sql: TransactionSql, storeId: string): Promise<void> {
  await sql`
    delete from bookings b
    where b.store_id = ${storeId} and b.expires_at is null and not exists (
      select from appointments a
      join booking_rules r on r.store_id = a.store_id
      left join services s on s.store_id = a.store_id and s.id = a.service_id
      where a.store_id = b.store_id and a.id = b.id and a.status = 'scheduled' and a.scheduled_at = b.scheduled_at
        and a.duration_minutes = b.duration_minutes
        and (not ${isComing(sql)} or (
          b.starts_at = a.scheduled_at - coalesce(s.buffer_before_minutes, r.buffer_before_minutes) * interval '1 minute'
          and b.ends_at = a.scheduled_at
            + (a.duration_minutes + coalesce(s.buffer_after_minutes, r.buffer_after_minutes)) * interval '1 minute'
          and b.place = coalesce(b.seller_id, b.place))))`;
}

/** A scheduled appointment that takes no place yet, with the buffers of its service. */
type UnplacedRow = {
  readonly id: string;
  readonly seller_id: string | null;
  readonly service_id: string | null;
  readonly scheduled_at: Date;
  readonly duration_minutes: number;
  readonly buffer_before_minutes: number | null;
  readonly buffer_after_minutes: number | null;
};

/** Coming appointments that take no place, the earliest first. */
export const listUnplaced = (sql: Sql, storeId: string) =>
  sql<UnplacedRow[]>`
    select a.id, a.seller_id, a.service_id, a.scheduled_at, a.duration_minutes, s.buffer_before_minutes,
      s.buffer_after_minutes
    from appointments a
    left join services s on s.store_id = a.store_id and s.id = a.service_id
    where a.store_id = ${storeId} and a.status = 'scheduled' and ${isComing(sql)}
      and not exists (select from bookings b where b.store_id = a.store_id and b.id = a.id)
    order by a.scheduled_at, a.id`;

/** Deletes some expired holds of all stores. Returns how many. */
export async function deleteSomeExpired(systemSql: TransactionSql, batch: number): Promise<number> {
  const { count } = await systemSql`
    delete from bookings where (store_id, id) in (
      select store_id, id from bookings where expires_at <= clock_timestamp() order by expires_at limit ${batch})`;
  return count;
}
