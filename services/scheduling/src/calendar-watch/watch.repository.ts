import { readClock } from '@mostrador/kit/database/clock.repository';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { dueNow } from '@mostrador/kit/database/due-now.repository';
import { overdueIn } from '@mostrador/kit/step/overdue.repository';
import type { Attempt, AttemptError, RowKey } from '@mostrador/kit/step/retry-engine';
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
  return { watch, now: await readClock(sql) };
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

/**
 * Lets the next look of a quiet calendar be due now, because its store is in use, but no earlier than `leastMs` after the one
 * before. Returns the connections.
 */
export async function wakeQuietWatch(sql: TransactionSql, storeId: string, leastMs: number): Promise<string[]> {
  const due = sql`greatest(${dueNow(sql)}, listed_at + ${leastMs} * interval '1 millisecond')`;
  const rows = await sql<{ connection_id: string }[]>`
    update calendar_watches set wake_at = ${due}, changed_at = clock_timestamp()
    where store_id = ${storeId} and ${isQuiet(sql)} and wake_at > ${due}
    returning connection_id`;
  return rows.map(({ connection_id }) => connection_id);
}

/** How many calendars of a provider are connected to the platform. */
export async function countCalendars(systemSql: Sql, provider: string): Promise<number> {
  const [row] = await systemSql<{ count: number }[]>`
    select count(*)::int as count from calendar_connections where provider = ${provider} and disconnected_at is null`;
  return row?.count ?? 0;
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
