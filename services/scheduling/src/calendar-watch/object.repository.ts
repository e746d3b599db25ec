import type { Span } from '@mostrador/hours/local-days';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { rowsAsJson } from '@mostrador/kit/database/types';
import type { RowKey } from '@mostrador/kit/step/retry-engine';
import type { CalendarChanges } from '../calendars/calendar-provider.ts';

/** An object that has changed since it was last read, and the scheduled appointment whose event it is or was. */
export type PendingObject = { readonly href: string; readonly appointment_id: string | null };

/** Some objects that have changed and were not read since the last list. */
export async function listPending(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  limit: number,
): Promise<PendingObject[]> {
  return await sql<PendingObject[]>`
    select o.href, o.appointment_id
    from calendar_objects o
    join calendar_watches w on w.store_id = o.store_id and w.connection_id = o.connection_id
    where o.store_id = ${storeId} and o.connection_id = ${id} and o.is_pending and o.asked_at < w.listed_at
    order by o.asked_at, o.href
    limit ${limit}`;
}

/** Those of the appointments that are scheduled. Only they can be cancelled. */
export async function listScheduled(
  sql: TransactionSql,
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await sql<{ id: string }[]>`
    select id from appointments
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) and status = 'scheduled'`;
  return new Set(rows.map(({ id }) => id));
}

/** Whether more objects can be read at once. */
export const hasPending = async (sql: TransactionSql, key: RowKey): Promise<boolean> =>
  (await listPending(sql, key, 1)).length > 0;

/**
 * The addresses of our events of coming appointments, as they were written before this moment. One that was deleted before
 * the calendar was first read is left out: it was never listed, and was not written since.
 */
export async function listWritten(sql: TransactionSql, { storeId, id }: RowKey, before: Date): Promise<string[]> {
  const rows = await sql<{ href: string }[]>`
    select s.href from calendar_syncs s
    join appointments a on a.store_id = s.store_id and a.id = s.appointment_id
    where s.store_id = ${storeId} and s.connection_id = ${id} and s.state = 'synced' and s.href is not null
      and s.synced_at < ${before} and a.status = 'scheduled' and a.scheduled_at > clock_timestamp()
      and (exists (
        select from calendar_objects o
        where o.store_id = s.store_id and o.connection_id = s.connection_id and o.href = s.href)
      or s.synced_at > (
        select w.first_listed_at from calendar_watches w
        where w.store_id = ${storeId} and w.connection_id = ${id}))`;
  return rows.map(({ href }) => href);
}

/** Records what has changed: it is to be read. `gone` are the addresses that the calendar has no more. */
export async function recordChanges(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  { cursor, listed }: Pick<CalendarChanges, 'cursor' | 'listed'>,
  gone: readonly string[],
): Promise<void> {
  const hrefs = listed.map(({ href }) => href);
  const etags = listed.map(({ etag }) => etag);
  const { count: changed } = await sql`
    insert into calendar_objects as o (store_id, connection_id, href, etag)
    select distinct on (href) ${storeId}::uuid, ${id}::uuid, href, etag
    from unnest(${hrefs}::text[], ${etags}::text[]) as found (href, etag)
    on conflict (store_id, connection_id, href) do update
    set etag = excluded.etag, is_pending = true, asked_at = '-infinity'
    where o.etag is null or o.etag is distinct from excluded.etag`;
  const { count: missing } = await sql`
    insert into calendar_objects as o (store_id, connection_id, href)
    select distinct ${storeId}::uuid, ${id}::uuid, href from unnest(${[...gone]}::text[]) as found (href)
    on conflict (store_id, connection_id, href) do update
    set etag = null, is_pending = true, asked_at = '-infinity'`;
  await sql`
    update calendar_watches
    set cursor = ${cursor}, listed_at = clock_timestamp(), first_listed_at = coalesce(first_listed_at, clock_timestamp()),
        changed_at = case when ${changed + missing > 0} then clock_timestamp() else changed_at end
    where store_id = ${storeId} and connection_id = ${id}`;
}

/**
 * Lets the event of an appointment be read after the next list, because it was missing when it was to be written. A list in
 * which most events are missing does not count.
 */
export async function expectGone(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  href: string,
  appointmentId: string,
): Promise<void> {
  await sql`
    insert into calendar_objects as o (store_id, connection_id, href, appointment_id, asked_at)
    select store_id, connection_id, ${href}, ${appointmentId}, clock_timestamp()
    from calendar_watches where store_id = ${storeId} and connection_id = ${id}
    on conflict (store_id, connection_id, href) do update
    set etag = null, is_pending = true, asked_at = excluded.asked_at, appointment_id = excluded.appointment_id`;
}

/** The addresses that are known, of objects that are not over. */
export async function listKnown(sql: TransactionSql, { storeId, id }: RowKey, since: Date): Promise<string[]> {
  const rows = await sql<{ href: string }[]>`
    select href from calendar_objects
    where store_id = ${storeId} and connection_id = ${id} and (ends_at is null or ends_at > ${since})`;
  return rows.map(({ href }) => href);
}

/** Once a day: drops what is over, and reads again what depends on the day. */
export async function renewObjects(sql: TransactionSql, { storeId, id }: RowKey, since: Date): Promise<void> {
  await sql`
    delete from calendar_objects where store_id = ${storeId} and connection_id = ${id} and ends_at < ${since}`;
  await sql`
    update calendar_objects set is_pending = true, asked_at = '-infinity'
    where store_id = ${storeId} and connection_id = ${id} and follows_clock`;
  await sql`
    update calendar_watches set renewed_at = clock_timestamp() where store_id = ${storeId} and connection_id = ${id}`;
}

/** What was read of an object. `later`: it is read again after the next list. */
export type ObjectOutcome =
  | { readonly kind: 'later'; readonly href: string }
  | { readonly kind: 'gone'; readonly href: string }
  | {
      readonly kind: 'read';
      readonly href: string;
      readonly etag: string | null;
      readonly appointmentId: string | null;
      readonly busy: readonly Span[];
      readonly followsClock: boolean;
      readonly endsAt: number | null;
    };

export async function recordObjects(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  outcomes: readonly ObjectOutcome[],
): Promise<void> {
  const of = <Kind extends ObjectOutcome['kind']>(kind: Kind) =>
    outcomes.filter((outcome): outcome is Extract<ObjectOutcome, { kind: Kind }> => outcome.kind === kind);
  const hrefsOf = (some: readonly ObjectOutcome[]) => some.map(({ href }) => href);
  const read = of('read');
  const rows = read.map(({ href, etag, appointmentId, followsClock, endsAt }) => ({
    ...{ href, etag, appointment_id: appointmentId, follows_clock: followsClock },
    ends_at: endsAt === null ? null : new Date(endsAt),
  }));
  const busy = read.flatMap(({ href, busy }) =>
    busy.map(({ start, end }) => ({ href, starts_at: new Date(start), ends_at: new Date(end) })),
  );
  await sql`
    update calendar_objects set asked_at = clock_timestamp()
    where store_id = ${storeId} and connection_id = ${id} and href = any(${hrefsOf(of('later'))}::text[])`;
  await sql`
    delete from calendar_objects
    where store_id = ${storeId} and connection_id = ${id} and href = any(${hrefsOf(of('gone'))}::text[])`;
  await sql`
    update calendar_objects o
    set is_pending = false, etag = found.etag, appointment_id = found.appointment_id,
        follows_clock = found.follows_clock, ends_at = found.ends_at
    from json_to_recordset(${rowsAsJson(rows)}::text::json) as found (href text, etag text, appointment_id uuid,
      follows_clock boolean, ends_at timestamptz)
    where o.store_id = ${storeId} and o.connection_id = ${id} and o.href = found.href`;
  await sql`
    delete from calendar_busy_times
    where store_id = ${storeId} and connection_id = ${id} and href = any(${hrefsOf(read)}::text[])`;
  await sql`
    insert into calendar_busy_times (store_id, connection_id, href, starts_at, ends_at)
    select ${storeId}::uuid, ${id}::uuid, href, starts_at, ends_at
    from json_to_recordset(${rowsAsJson(busy)}::text::json) as found (href text, starts_at timestamptz,
      ends_at timestamptz)`;
}
