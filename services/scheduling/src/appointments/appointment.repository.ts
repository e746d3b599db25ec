import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { AppointmentContent, AppointmentRow, NewAppointment } from './appointment.ts';

/** Inserts the appointments, and returns their rows in the same order. */
export async function insertAppointments(
  sql: TransactionSql,
  storeId: string,
  appointments: readonly NewAppointment[],
): Promise<AppointmentRow[]> {
  // `clock_timestamp()` instead of `now()`: docs/adr/0010.
  return await sql<AppointmentRow[]>`
    with moment as (select clock_timestamp() as at)
    insert into appointments (store_id, lead_id, title, scheduled_at, duration_minutes, notes, metadata, seller_id,
      service_id, created_at, updated_at)
    select ${storeId}::uuid, lead_id, title, scheduled_at, duration_minutes, notes, metadata, seller_id, service_id, at, at
    from moment, rows from (
        json_to_recordset(${JSON.stringify(appointments)}::text::json)
          as (lead_id uuid, title text, scheduled_at timestamptz, duration_minutes integer, notes text, metadata jsonb,
            seller_id uuid, service_id uuid)
      ) with ordinality as given (lead_id, title, scheduled_at, duration_minutes, notes, metadata, seller_id, service_id,
        number)
    order by number
    returning *`;
}

/** What the database gives a new row. */
export type NewIdentity = { readonly id: string; readonly at: Date };

/** Identities for new rows, which `insertWithCommit` writes in the same transaction. */
export async function newIdentities(sql: TransactionSql, count: number): Promise<NewIdentity[]> {
  // `clock_timestamp()` instead of `now()`: docs/adr/0010.
  return await sql<NewIdentity[]>`
    with moment as (select clock_timestamp()::timestamptz(3) as at)
    select uuidv7() as id, at from moment, generate_series(1, ${count})`;
}

/** Inserts rows that are known before, so that the commit does not wait for it. */
export function insertWithCommit(sql: TransactionSql, storeId: string, rows: readonly AppointmentRow[]): void {
  sql.withCommit(sql`
    insert into appointments (store_id, id, lead_id, title, scheduled_at, duration_minutes, notes, metadata, seller_id,
      service_id, created_at, updated_at)
    select ${storeId}::uuid, id, lead_id, title, scheduled_at, duration_minutes, notes, metadata, seller_id, service_id,
      created_at, updated_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as new (id uuid, lead_id uuid, title text, scheduled_at timestamptz, duration_minutes integer, notes text,
        metadata jsonb, seller_id uuid, service_id uuid, created_at timestamptz, updated_at timestamptz)`);
}

export const findAppointment = (sql: Sql, storeId: string, id: string) =>
  sql<AppointmentRow[]>`select * from appointments where store_id = ${storeId} and id = ${id}`;

/** Reads the row and locks it until the transaction ends. */
export async function lockAppointment(
  sql: TransactionSql,
  storeId: string,
  id: string,
): Promise<AppointmentRow | undefined> {
  const [row] = await sql<AppointmentRow[]>`
    select * from appointments where store_id = ${storeId} and id = ${id} for no key update`;
  return row;
}

export async function saveAppointment(
  sql: TransactionSql,
  storeId: string,
  id: string,
  content: AppointmentContent,
): Promise<AppointmentRow> {
  const { title, scheduled_at, duration_minutes, notes, status, metadata, seller_id, service_id, confirmed_at } =
    content;
  // Not now(): the transaction may have begun before the change whose lock it waited for.
  const [row] = await sql<AppointmentRow[]>`
    update appointments
    set title = ${title}, scheduled_at = ${scheduled_at}, duration_minutes = ${duration_minutes}, notes = ${notes},
        status = ${status}, metadata = ${sql.json(metadata)}, seller_id = ${seller_id}, service_id = ${service_id},
        confirmed_at = ${confirmed_at}, version = version + 1, updated_at = greatest(clock_timestamp(), updated_at),
        moved_at = case when scheduled_at = ${scheduled_at} and duration_minutes = ${duration_minutes} then moved_at
          else greatest(clock_timestamp(), updated_at) end
    where store_id = ${storeId} and id = ${id}
    returning *`;
  return row as AppointmentRow;
}

/**
 * The appointments of a feed, earliest first, without cancelled ones. When there are more than the bounds allow, the
 * result keeps those nearest to `now` on either side. Long notes are cut.
 */
export async function listFeedAppointments(
  sql: Sql,
  storeId: string,
  { now, since, past, coming, notesLength }: FeedBounds,
): Promise<ShownAppointment[]> {
  const columns = sql`store_id, id, lead_id, title, scheduled_at, duration_minutes, status,
    left(notes, ${notesLength}) as notes, version, created_at, updated_at`;
  return await sql<ShownAppointment[]>`
    (select ${columns} from appointments
      where store_id = ${storeId} and scheduled_at >= ${now} and status <> 'cancelled'
      order by scheduled_at, id limit ${coming})
    union all
    (select ${columns} from appointments
      where store_id = ${storeId} and scheduled_at >= ${since} and scheduled_at < ${now} and status <> 'cancelled'
      order by scheduled_at desc, id desc limit ${past})
    order by scheduled_at, id`;
}

/** What a calendar shows of an appointment comes from these columns. */
export type ShownAppointment = Omit<
  AppointmentRow,
  'metadata' | 'seller_id' | 'service_id' | 'confirmed_at' | 'moved_at'
>;

export type FeedBounds = {
  readonly now: Date;
  /** Appointments before this moment are left out. */
  readonly since: Date;
  /** The most appointments before `now`. */
  readonly past: number;
  /** The most appointments from `now` on. */
  readonly coming: number;
  /** The most characters of notes. */
  readonly notesLength: number;
};
