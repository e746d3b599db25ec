import type { BookingRules } from '@mostrador/contracts';
import { readClock } from '@mostrador/kit/database/clock.repository';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { OverdueOptions } from '@mostrador/kit/step/overdue';
import type { AppointmentRow } from '../appointments/appointment.ts';
import type { FollowupRow } from '../followups/followup.ts';

/** All reminders that the appointments have had, locked in the order of their ids. `now` is the database clock after that. */
export async function lockReminders(
  sql: TransactionSql,
  storeId: string,
  appointmentIds: readonly string[],
): Promise<{ rows: FollowupRow[]; now: Date }> {
  const rows = await sql<FollowupRow[]>`
    select * from followups
    where store_id = ${storeId} and appointment_id = any(${[...appointmentIds]}::uuid[]) and reminder_minutes is not null
    order by id for no key update`;
  return { rows, now: await readClock(sql) };
}

export type NewReminder = Pick<
  FollowupRow,
  | 'id'
  | 'lead_id'
  | 'appointment_id'
  | 'message'
  | 'template'
  | 'due_at'
  | 'next_attempt_at'
  | 'expires_at'
  | 'reminder_minutes'
  | 'reminder_start'
  | 'asks_confirmation'
>;

/** Ids for new rows, in order. */
export async function newIds(sql: TransactionSql, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select uuidv7() as id from generate_series(1, ${count})`;
  return rows.map(({ id }) => id);
}

export async function insertReminders(
  sql: TransactionSql,
  storeId: string,
  reminders: readonly NewReminder[],
  now: Date,
): Promise<FollowupRow[]> {
  return await sql<FollowupRow[]>`
    insert into followups (store_id, id, lead_id, appointment_id, message, template, due_at, next_attempt_at, expires_at,
      reminder_minutes, reminder_start, asks_confirmation, cancel_on_reply, cancel_on_appointment, created_at, updated_at)
    select ${storeId}::uuid, id, lead_id, appointment_id, message, template, due_at, next_attempt_at, expires_at,
      reminder_minutes, reminder_start, asks_confirmation, false, false, ${now}, ${now}
    from json_to_recordset(${JSON.stringify(reminders)}::text::json)
      as (id uuid, lead_id uuid, appointment_id uuid, message text, template jsonb, due_at timestamptz,
        next_attempt_at timestamptz, expires_at timestamptz, reminder_minutes integer, reminder_start timestamptz,
        asks_confirmation boolean)
    order by id
    returning *`;
}

/** Whether the store has reminders: in its rules, or from earlier ones. */
export async function hasReminders(sql: Sql, storeId: string): Promise<boolean> {
  const [row] = await sql<[{ has: boolean }]>`
    select exists (select from booking_rules where store_id = ${storeId} and reminders <> '[]')
      or exists (
        select from followups where store_id = ${storeId} and status = 'pending' and reminder_minutes is not null
      ) as has`;
  return row.has;
}

/** Locks up to `limit` scheduled appointments with a lead that are yet to come, after the id. */
export async function lockComingAfter(
  sql: TransactionSql,
  storeId: string,
  afterId: string,
  limit: number,
): Promise<AppointmentRow[]> {
  return await sql<AppointmentRow[]>`
    select * from appointments
    where store_id = ${storeId} and status = 'scheduled' and scheduled_at > now() and lead_id is not null
      and id > ${afterId}
    order by id limit ${limit}
    for no key update`;
}

/** The appointment of a reminder, as it is now. */
export type Reminded = Pick<AppointmentRow, 'status' | 'scheduled_at'> & {
  /** The name of its service, or its title. */
  readonly service: string;
  /** Whether the booking rules still have the reminder. */
  readonly is_wanted: boolean;
};

export async function findReminded(
  sql: Sql,
  storeId: string,
  { appointment_id, reminder_minutes }: Pick<FollowupRow, 'appointment_id' | 'reminder_minutes'>,
): Promise<Reminded | undefined> {
  const [row] = await sql<Reminded[]>`
    select a.status, a.scheduled_at, coalesce(s.name, a.title) as service,
      exists (
        select from booking_rules r
        where r.store_id = a.store_id
          and r.reminders @> jsonb_build_array(jsonb_build_object('minutes_before', ${reminder_minutes}::integer))
      ) as is_wanted
    from appointments a left join services s on s.store_id = a.store_id and s.id = a.service_id
    where a.store_id = ${storeId} and a.id = ${appointment_id}`;
  return row;
}

/** The query for the lead whom this follow-up asked to confirm: one row, or none if it did not. */
export const findAsking = (sql: Sql, storeId: string, id: string) =>
  sql<{ lead_id: string }[]>`
    select lead_id from followups
    where store_id = ${storeId} and id = ${id} and asks_confirmation and status = 'sent'`;

export type Unanswered = { readonly store_id: string; readonly id: string; readonly lead_id: string };

/**
 * Up to `limit` reminders of all stores that asked and are to be looked at again. The next look comes when their age has
 * doubled, and one comes 15 minutes before the appointment begins. What is answered or over is returned once more, so that
 * the caller sees whether there are more rows. Two concurrent sweeps get different rows.
 */
export async function takeUnanswered(
  systemSql: TransactionSql,
  { limit }: Pick<OverdueOptions, 'limit'>,
): Promise<Unanswered[]> {
  return await systemSql<Unanswered[]>`
    update followups f
    set answer_check_at = case when due.is_open then least(
      clock_timestamp() + (clock_timestamp() - f.first_attempt_at),
      case when due.last_look > clock_timestamp() then due.last_look end
    ) end
    from (
      select f.store_id, f.id, f.reminder_start - interval '15 minutes' as last_look,
        coalesce(a.status = 'scheduled' and a.scheduled_at = f.reminder_start and a.scheduled_at > now()
          and (a.confirmed_at is null or a.confirmed_at < f.first_attempt_at), false) as is_open
      from (
        select store_id, id, appointment_id, reminder_start, first_attempt_at from followups
        where answer_check_at < now() order by answer_check_at limit ${limit}
        for no key update skip locked
      ) f
      left join appointments a on a.store_id = f.store_id and a.id = f.appointment_id
    ) due
    where f.store_id = due.store_id and f.id = due.id
    returning f.store_id, f.id, f.lead_id`;
}

/** What a lead was asked last. */
export type Question = Pick<BookingRules, 'confirm_words' | 'cancel_words'> & {
  /** The reminder, and its message. */
  readonly id: string;
  readonly appointment_id: string;
  readonly asked_at: Date;
  readonly start: Date;
};

/**
 * The question that a message of the lead may answer: that of the latest reminder, if its appointment still waits for an
 * answer. One row, or none.
 */
export const findQuestion = (sql: Sql, storeId: string, leadId: string) => sql<Question[]>`
  select q.id, q.appointment_id, q.first_attempt_at as asked_at, q.reminder_start as start, r.confirm_words, r.cancel_words
  from (
    select * from followups
    where store_id = ${storeId} and lead_id = ${leadId} and asks_confirmation and status in ('sending', 'sent')
    order by first_attempt_at desc limit 1
  ) q
  join appointments a on a.store_id = q.store_id and a.id = q.appointment_id
  join booking_rules r on r.store_id = q.store_id
  where a.status = 'scheduled' and a.scheduled_at = q.reminder_start and a.scheduled_at > now()
    and (a.confirmed_at is null or a.confirmed_at < q.first_attempt_at)`;
