import { readClock } from '@mostrador/kit/database/clock.repository';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { WaitColumns } from '@mostrador/kit/resilience/wait-reason';
import { overdueIn } from '@mostrador/kit/step/overdue.repository';

/** A row of `calendar_syncs`: the state of an appointment's event. */
export type SyncRow = {
  readonly appointment_id: string;
  readonly connection_id: string;
  /** `failed`: a person gave it up. */
  readonly state: 'pending' | 'synced' | 'needs_attention' | 'failed';
  readonly desired_version: number;
  readonly synced_version: number | null;
  readonly synced_at: Date | null;
  readonly event_id: string | null;
  readonly href: string | null;
  readonly etag: string | null;
  readonly attempts: number;
  readonly last_error_code: string | null;
  readonly last_error_detail: string | null;
  readonly next_attempt_at: Date | null;
  readonly lease_until: Date | null;
  /** The event is written even when its mark says that it is current. */
  readonly write_back: boolean;
  /** The time that the event was given last, as its mark says it. Null: not known. */
  readonly time_mark: string | null;
} & WaitColumns;

export async function findSync(sql: Sql, storeId: string, appointmentId: string): Promise<SyncRow | undefined> {
  const [row] = await sql<SyncRow[]>`
    select * from calendar_syncs where store_id = ${storeId} and appointment_id = ${appointmentId}`;
  return row;
}

/** Locks the row until the transaction ends. `now` is the database clock after the lock was granted. */
export async function lockSync(
  sql: TransactionSql,
  storeId: string,
  appointmentId: string,
): Promise<{ sync: SyncRow; now: Date } | undefined> {
  const [row] = await sql<SyncRow[]>`
    select * from calendar_syncs where store_id = ${storeId} and appointment_id = ${appointmentId} for no key update`;
  if (!row) return undefined;
  return { sync: row, now: await readClock(sql) };
}

/**
 * Requests that the calendar shows these versions of the appointments. A running attempt of the same connection keeps its
 * lease. What a row knows about the event of another connection is cleared.
 */
export async function requestSyncs(
  sql: TransactionSql,
  storeId: string,
  appointments: readonly { readonly id: string; readonly version: number }[],
  connectionId: string,
): Promise<void> {
  const ids = appointments.map(({ id }) => id);
  const versions = appointments.map(({ version }) => version);
  await sql`
    insert into calendar_syncs as s (store_id, appointment_id, connection_id, state, desired_version, next_attempt_at)
    select ${storeId}, id, ${connectionId}, 'pending', version, clock_timestamp()
    from unnest(${ids}::uuid[], ${versions}::integer[]) as wanted (id, version)
    on conflict (store_id, appointment_id) do update ${onceMore(sql)}`;
}

/** Requests that the event is written as it was, because a person's change of it was refused. */
export async function requestWriteBack(
  sql: TransactionSql,
  storeId: string,
  appointment: { readonly id: string; readonly version: number },
  connectionId: string,
): Promise<void> {
  await requestSyncs(sql, storeId, [appointment], connectionId);
  await sql`
    update calendar_syncs set write_back = true where store_id = ${storeId} and appointment_id = ${appointment.id}`;
}

/** Records a version of the appointment that looks in the calendar as the one before it, so nothing is to sync. */
export async function followVersion(
  sql: TransactionSql,
  storeId: string,
  { id, version }: { readonly id: string; readonly version: number },
): Promise<void> {
  await sql`
    update calendar_syncs
    set desired_version = ${version}, synced_version = case when state = 'synced' then ${version} else synced_version end
    where store_id = ${storeId} and appointment_id = ${id}`;
}

/** An appointment whose workflow must be woken. */
export type Concerned = { readonly id: string; readonly lead_id: string | null };

/**
 * Requests a sync of every future appointment that is scheduled, and returns them. `resumed` is the replaced connection
 * of the same calendar, if any. Its unfinished syncs are requested too, so that cancelled appointments are removed.
 */
export async function requestFutureSyncs(
  sql: TransactionSql,
  storeId: string,
  connectionId: string,
  resumed: string | undefined,
): Promise<Concerned[]> {
  return await sql<Concerned[]>`
    with requested as (
      insert into calendar_syncs as s (store_id, appointment_id, connection_id, state, desired_version, next_attempt_at)
      select a.store_id, a.id, ${connectionId}, 'pending', a.version, clock_timestamp()
      from appointments a
      left join calendar_syncs old
        on old.store_id = a.store_id and old.appointment_id = a.id and old.connection_id = ${resumed ?? null}
      where a.store_id = ${storeId} and a.scheduled_at > clock_timestamp()
        and (a.status = 'scheduled' or old.state <> 'synced')
      on conflict (store_id, appointment_id) do update ${onceMore(sql)}
      returning appointment_id
    )
    select a.id, a.lead_id from requested join appointments a on a.store_id = ${storeId} and a.id = appointment_id`;
}

const onceMore = (sql: TransactionSql) => sql`
  set state = 'pending', desired_version = excluded.desired_version, next_attempt_at = excluded.next_attempt_at,
      connection_id = excluded.connection_id, attempts = 0, last_error_code = null, last_error_detail = null,
      wait_reason = null, wait_since = null,
      requested_at = case when s.connection_id = excluded.connection_id and s.state in ('pending', 'needs_attention')
        then s.requested_at else clock_timestamp() end,
      synced_version = case when s.connection_id = excluded.connection_id then s.synced_version end,
      synced_at = case when s.connection_id = excluded.connection_id then s.synced_at end,
      event_id = case when s.connection_id = excluded.connection_id then s.event_id end,
      href = case when s.connection_id = excluded.connection_id then s.href end,
      etag = case when s.connection_id = excluded.connection_id then s.etag end,
      time_mark = case when s.connection_id = excluded.connection_id then s.time_mark end,
      lease_token = case when s.connection_id = excluded.connection_id then s.lease_token end,
      lease_until = case when s.connection_id = excluded.connection_id then s.lease_until end`;

/** Deletes the unfinished syncs of an ended connection. Returns their appointments, whose workflows can end. */
export async function dropUnsettledSyncs(
  sql: TransactionSql,
  storeId: string,
  connectionId: string,
): Promise<Concerned[]> {
  return await sql<Concerned[]>`
    delete from calendar_syncs s using appointments a
    where s.store_id = ${storeId} and s.connection_id = ${connectionId} and s.state <> 'synced'
      and a.store_id = s.store_id and a.id = s.appointment_id
    returning a.id, a.lead_id`;
}

/** How many syncs of a connection are not done. `failing`: those of `pending` whose last attempt failed. */
export type Unsettled = { readonly pending: number; readonly failing: number; readonly needs_attention: number };

export async function countUnsettledSyncs(sql: Sql, storeId: string, connectionId: string): Promise<Unsettled> {
  const [row] = await sql<Unsettled[]>`
    select count(*) filter (where state = 'pending')::int as pending,
           count(*) filter (where state = 'pending' and last_error_code is not null)::int as failing,
           count(*) filter (where state = 'needs_attention')::int as needs_attention
    from calendar_syncs
    where store_id = ${storeId} and connection_id = ${connectionId} and state <> 'synced'`;
  return row ?? { pending: 0, failing: 0, needs_attention: 0 };
}

const mostRead = 10_000;

/** For how long the oldest sync of all stores has been pending, of the 10,000 that are due first. 0: none is. */
export async function oldestPendingSync(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select coalesce(extract(epoch from clock_timestamp() - min(requested_at)), 0)::float8 as seconds
    from (
      select requested_at from calendar_syncs where state = 'pending' order by next_attempt_at limit ${mostRead}) as pending`;
  return row?.seconds ?? 0;
}

export type OverdueSync = Concerned & { readonly store_id: string };

export const overdueSyncRows = overdueIn<OverdueSync>({
  table: 'calendar_syncs',
  key: 'appointment_id',
  due: 'next_attempt_at',
  where: (sql) => sql`state = 'pending'`,
  columns: (sql) => sql`woken.appointment_id as id, (
    select lead_id from appointments a where a.store_id = woken.store_id and a.id = woken.appointment_id)`,
});
