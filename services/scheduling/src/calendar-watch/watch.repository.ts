import type { Span } from '@mostrador/hours/local-days';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import { overdueIn } from '@mostrador/kit/step/overdue.repository';
import type { Attempt, AttemptError, RowKey } from '@mostrador/kit/step/retry-engine';
import type { CalendarChanges } from '../calendars/calendar-provider.ts';
import type { ReadingRow } from './reading.ts';

/** A row of `calendar_watches`. */
export type WatchRow = {
  readonly cursor: string | null;
  readonly wake_at: Date;
  readonly attempts: number;
  readonly last_error_code: string | null;
  readonly lease_until: Date | null;
  /** Null: the calendar was never read. */
  readonly listed_at: Date | null;
  readonly renewed_at: Date;
  readonly channel_expires_at: Date | null;
  readonly channel_tried_at: Date | null;
};

/** An object that has changed since it was last read, and the scheduled appointment whose event it is or was. */
export type PendingObject = { readonly href: string; readonly appointment_id: string | null };

export async function insertWatch(sql: TransactionSql, storeId: string, connectionId: string): Promise<void> {
  await sql`insert into calendar_watches (store_id, connection_id) values (${storeId}, ${connectionId})`;
}

/** Deletes the watch of an ended connection, and all that was read of its calendar. */
export async function deleteWatch(sql: TransactionSql, storeId: string, connectionId: string): Promise<void> {
  await sql`delete from calendar_watches where store_id = ${storeId} and connection_id = ${connectionId}`;
}

/** Locks the row until the transaction ends. `now` is the database clock after the lock was granted. */
export async function lockWatch(
  sql: TransactionSql,
  { storeId, id }: RowKey,
): Promise<{ watch: WatchRow; now: Date } | undefined> {
  const [watch] = await sql<WatchRow[]>`
    select cursor, wake_at, attempts, last_error_code, lease_until, listed_at, renewed_at, channel_expires_at,
      channel_tried_at
    from calendar_watches
    where store_id = ${storeId} and connection_id = ${id} for no key update`;
  if (!watch) return undefined;
  const [clock] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
  return { watch, now: clock?.now as Date };
}

export async function claim(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  leaseMs: number,
): Promise<Attempt & { claimedAt: Date }> {
  const [row] = await sql<{ lease_token: string; attempts: number; claimed_at: Date }[]>`
    update calendar_watches
    set attempts = attempts + 1, lease_token = gen_random_uuid(),
        lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
        wake_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where store_id = ${storeId} and connection_id = ${id}
    returning lease_token, attempts, clock_timestamp() as claimed_at`;
  const { lease_token, attempts, claimed_at } = row as NonNullable<typeof row>;
  return { storeId, id, leaseToken: lease_token, number: attempts, claimedAt: claimed_at };
}

/** Before the calendar is asked what has changed: what it tells from now on is another change. */
export async function beginList(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  { asksForChannel }: { readonly asksForChannel: boolean },
): Promise<void> {
  await sql`
    update calendar_watches
    set notified_at = null,
        channel_tried_at = case when ${asksForChannel} then clock_timestamp() else channel_tried_at end
    where store_id = ${storeId} and connection_id = ${id}`;
}

/** Replaces the channel. What the one before still tells is refused. */
export async function saveChannel(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  { tokenHash, expiresAt }: { readonly tokenHash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  await sql`
    update calendar_watches set channel_token_hash = ${tokenHash}, channel_expires_at = ${expiresAt}
    where store_id = ${storeId} and connection_id = ${id}`;
}

/** The query for the watch whose channel has this token: one row, or none. */
export const findChannel = (systemSql: Sql, tokenHash: Buffer) =>
  systemSql<{ store_id: string; connection_id: string }[]>`
    select store_id, connection_id from calendar_watches where channel_token_hash = ${tokenHash}`;

/**
 * Notes that the calendar has changed, and lets the next look be due soon, at most once in `leastMs`. One that runs is
 * followed by another. Returns whether the next look is earlier now.
 */
export async function noteChange(sql: TransactionSql, { storeId, id }: RowKey, leastMs: number): Promise<boolean> {
  const [row] = await sql<{ is_earlier: boolean }[]>`
    update calendar_watches
    set notified_at = clock_timestamp(),
        wake_at = case when attempts > 0 then wake_at
          else least(wake_at, greatest(${dueNow(sql)}, listed_at + ${leastMs} * interval '1 millisecond')) end
    where store_id = ${storeId} and connection_id = ${id}
    returning new.wake_at < old.wake_at as is_earlier`;
  return row?.is_earlier ?? false;
}

/** Locks the row if the attempt still has its lease. */
export async function lockLease(sql: TransactionSql, { storeId, id, leaseToken }: Attempt): Promise<boolean> {
  const rows = await sql`
    select from calendar_watches
    where store_id = ${storeId} and connection_id = ${id} and lease_token = ${leaseToken} for no key update`;
  return rows.length > 0;
}

/** The query for how the reading of a connection goes: one row, or none for a calendar that is not read. */
export const findReading = (sql: Sql, storeId: string, connectionId: string) =>
  sql<ReadingRow[]>`
    select attempts, last_error_code, last_error_detail, listed_at from calendar_watches
    where store_id = ${storeId} and connection_id = ${connectionId}`;

/** Ends an attempt that reached the calendar. The next step is due after `delayMs`. */
export async function recordRead(sql: TransactionSql, { storeId, id }: RowKey, delayMs: number): Promise<Date> {
  const [row] = await sql<{ wake_at: Date }[]>`
    update calendar_watches
    set attempts = 0, last_error_code = null, last_error_detail = null, lease_token = null, lease_until = null,
        wake_at = clock_timestamp() + ${delayMs} * interval '1 millisecond'
    where store_id = ${storeId} and connection_id = ${id}
    returning wake_at`;
  return row?.wake_at as Date;
}

/** Ends an attempt that failed. */
export async function recordFailed(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  error: AttemptError,
  delayMs: number,
): Promise<Date> {
  const [row] = await sql<{ wake_at: Date }[]>`
    update calendar_watches
    set last_error_code = ${error.code}, last_error_detail = ${error.detail}, lease_token = null, lease_until = null,
        wake_at = clock_timestamp() + ${delayMs} * interval '1 millisecond'
    where store_id = ${storeId} and connection_id = ${id}
    returning wake_at`;
  return row?.wake_at as Date;
}

/** Delays the next step, because the calendar is not called now. Undoes the claim of an attempt, if there is one. */
export async function postpone(
  sql: TransactionSql,
  { storeId, id }: RowKey,
  delayMs: number,
  claimed = false,
): Promise<Date> {
  const [row] = await sql<{ wake_at: Date }[]>`
    update calendar_watches
    set wake_at = clock_timestamp() + ${delayMs} * interval '1 millisecond',
        attempts = greatest(attempts - ${claimed ? 1 : 0}, 0), lease_token = null, lease_until = null
    where store_id = ${storeId} and connection_id = ${id}
    returning wake_at`;
  return row?.wake_at as Date;
}

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
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as found (href text, etag text, appointment_id uuid,
      follows_clock boolean, ends_at timestamptz)
    where o.store_id = ${storeId} and o.connection_id = ${id} and o.href = found.href`;
  await sql`
    delete from calendar_busy_times
    where store_id = ${storeId} and connection_id = ${id} and href = any(${hrefsOf(read)}::text[])`;
  await sql`
    insert into calendar_busy_times (store_id, connection_id, href, starts_at, ends_at)
    select ${storeId}::uuid, ${id}::uuid, href, starts_at, ends_at
    from json_to_recordset(${JSON.stringify(busy)}::text::json) as found (href text, starts_at timestamptz,
      ends_at timestamptz)`;
}

/**
 * When the calendar, or an appointment of the store, last changed. `isTold`: the calendar tells of its changes, and
 * `isChanged`: it did so since it was last asked.
 */
export async function lastUse(
  sql: TransactionSql,
  { storeId, id }: RowKey,
): Promise<{ usedAt: Date; now: Date; isTold: boolean; isChanged: boolean }> {
  const [row] = await sql<{ used_at: Date; now: Date; is_told: boolean; is_changed: boolean }[]>`
    select clock_timestamp() as now, coalesce(w.channel_expires_at > clock_timestamp(), false) as is_told,
      w.notified_at is not null as is_changed, greatest(w.changed_at, (
      select max(latest.at) from unnest(array['scheduled', 'done', 'cancelled', 'no_show']) as s (status), lateral (
        select a.updated_at as at from appointments a where a.store_id = ${storeId} and a.status = s.status
        order by a.updated_at desc limit 1) latest)) as used_at
    from calendar_watches w where w.store_id = ${storeId} and w.connection_id = ${id}`;
  const { used_at, now, is_told, is_changed } = row as NonNullable<typeof row>;
  return { usedAt: used_at, now, isTold: is_told, isChanged: is_changed };
}

/** A look that is due only after this is the one of a quiet calendar. One that tells of its changes is read more rarely. */
const isQuiet = (sql: Sql) => sql`attempts = 0 and wake_at > clock_timestamp() + case
  when channel_expires_at > clock_timestamp() then interval '6 minutes' else interval '2 minutes' end`;

/** The query for a watch of the store whose calendar was not in use: one row, or none. */
export const findQuietWatch = (sql: Sql, storeId: string) =>
  sql<{ connection_id: string }[]>`
    select connection_id from calendar_watches where store_id = ${storeId} and ${isQuiet(sql)}`;

/** Lets the next look of a quiet calendar be due now, because its store is in use. Returns the connections. */
export async function wakeQuietWatch(sql: TransactionSql, storeId: string): Promise<string[]> {
  const rows = await sql<{ connection_id: string }[]>`
    update calendar_watches set wake_at = ${dueNow(sql)}, changed_at = clock_timestamp()
    where store_id = ${storeId} and ${isQuiet(sql)}
    returning connection_id`;
  return rows.map(({ connection_id }) => connection_id);
}

/** The zone of a store with booking rules. */
export async function findZone(sql: Sql, storeId: string): Promise<string | undefined> {
  const [row] = await sql<{ timezone: string }[]>`select timezone from booking_rules where store_id = ${storeId}`;
  return row?.timezone;
}

export type OverdueWatch = { readonly store_id: string; readonly id: string };

export const overdueWatchRows = overdueIn<OverdueWatch>({
  table: 'calendar_watches',
  key: 'connection_id',
  due: 'wake_at',
  columns: (sql) => sql`woken.connection_id as id`,
});

/** Adds the watches of connections that have none. The sweep starts their workflows. */
export async function addMissingWatches(systemSql: TransactionSql, providers: readonly string[]): Promise<void> {
  await systemSql`
    insert into calendar_watches (store_id, connection_id)
    select c.store_id, c.id from calendar_connections c
    where c.disconnected_at is null and c.provider = any(${[...providers]}::text[]) and not exists (
      select from calendar_watches w where w.store_id = c.store_id and w.connection_id = c.id)
    on conflict do nothing`;
}
