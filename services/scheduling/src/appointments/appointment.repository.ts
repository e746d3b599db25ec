import type { Appointment } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import type { AppointmentContent, AppointmentRow } from './appointment.ts';

export type NewAppointment = {
  readonly lead_id: string | null;
  readonly title: string;
  readonly scheduled_at: Date;
  readonly duration_minutes: number;
  readonly notes: string | null;
  readonly metadata: AppointmentRow['metadata'];
};

export type AppointmentFilters = {
  readonly status?: Appointment['status'];
  readonly lead_id?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
};

/** Inserts the appointments, and returns their rows in the same order. */
export async function insertAppointments(
  sql: TransactionSql,
  storeId: string,
  appointments: readonly NewAppointment[],
): Promise<AppointmentRow[]> {
  return await sql<AppointmentRow[]>`
    insert into appointments (store_id, lead_id, title, scheduled_at, duration_minutes, notes, metadata)
    select ${storeId}::uuid, lead_id, title, scheduled_at, duration_minutes, notes, metadata
    from rows from (
        json_to_recordset(${JSON.stringify(appointments)}::text::json)
          as (lead_id uuid, title text, scheduled_at timestamptz, duration_minutes integer, notes text, metadata jsonb)
      ) with ordinality as given (lead_id, title, scheduled_at, duration_minutes, notes, metadata, number)
    order by number
    returning *`;
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
  const { title, scheduled_at, duration_minutes, notes, status, metadata } = content;
  // Not now(): the transaction may have begun before the change whose lock it waited for.
  const [row] = await sql<AppointmentRow[]>`
    update appointments
    set title = ${title}, scheduled_at = ${scheduled_at}, duration_minutes = ${duration_minutes}, notes = ${notes},
        status = ${status}, metadata = ${sql.json(metadata)}, version = version + 1,
        updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and id = ${id}
    returning *`;
  return row as AppointmentRow;
}

/** The query for the number of appointments. It runs when it is awaited. */
export function countAppointments(sql: Sql, storeId: string, filters: AppointmentFilters) {
  const { from, to } = filters;
  // With one limit, a plan for any values would expect a third of all rows, and read the whole store.
  return sql<[{ total: number }]>`
    select count(*)::int as total from appointments
    where ${matches(sql, storeId, filters)}
      ${from && !to ? sql`and scheduled_at < 'infinity'` : sql``} ${to && !from ? sql`and scheduled_at > '-infinity'` : sql``}`;
}

/** The query for a page of appointments. It runs when it is awaited. */
export function listAppointments(
  sql: Sql,
  storeId: string,
  filters: AppointmentFilters,
  page: { start: TimePageStart; limit: number },
) {
  const { start, limit } = page;
  const after = 'after' in start ? start.after : undefined;
  return sql<AppointmentRow[]>`
    select * from appointments
    where ${matches(sql, storeId, filters)}
      ${after ? sql`and (scheduled_at, id) > (${after.at}, ${after.id})` : sql``}
    order by scheduled_at, id
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
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
export type ShownAppointment = Omit<AppointmentRow, 'metadata'>;

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

// Conditions are composed, because with `$1 is null or …` the planner does not use the index.
function matches(sql: Sql, storeId: string, { status, lead_id, from, to }: AppointmentFilters) {
  return sql`store_id = ${storeId}
    ${status ? sql`and status = ${status}` : sql``}
    ${lead_id ? sql`and lead_id = ${lead_id}` : sql``}
    ${from ? sql`and scheduled_at >= ${from}` : sql``}
    ${to ? sql`and scheduled_at < ${to}` : sql``}`;
}
