import type { BookingRules } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { RulesRow } from './rules.ts';

const columns = (sql: Sql) => sql`
  store_id, overlap, capacity, slot_step_minutes, buffer_before_minutes, buffer_after_minutes, minimum_notice_minutes,
  horizon_days, outside_hours, hours, exceptions, reminders, confirm_words, cancel_words, timezone, version`;

/** The query for the rules of a store: one row, or none. */
export const findRules = (sql: Sql, storeId: string) =>
  sql<RulesRow[]>`select ${columns(sql)} from booking_rules where store_id = ${storeId}`;

/**
 * Reads the rules and locks them until the transaction ends. All that takes places holds this lock, so that what it read
 * of them stays true. Take it after the lock of the calendar connection, and before that of an appointment.
 */
export async function lockRules(sql: TransactionSql, storeId: string): Promise<RulesRow | undefined> {
  const [row] = await sql<RulesRow[]>`
    select ${columns(sql)} from booking_rules where store_id = ${storeId} for no key update`;
  return row;
}

/** Replaces the rules. */
export async function saveRules(
  sql: TransactionSql,
  storeId: string,
  rules: BookingRules,
  timezone: string,
): Promise<RulesRow> {
  const row = {
    ...rules,
    hours: rules.hours && sql.json(rules.hours),
    exceptions: sql.json(rules.exceptions),
    reminders: sql.json(rules.reminders as never),
    timezone,
  };
  const [saved] = await sql<RulesRow[]>`
    insert into booking_rules as r (store_id, overlap, capacity, slot_step_minutes, buffer_before_minutes,
      buffer_after_minutes, minimum_notice_minutes, horizon_days, outside_hours, hours, exceptions, reminders,
      confirm_words, cancel_words, timezone)
    values (${storeId}, ${row.overlap}, ${row.capacity}, ${row.slot_step_minutes}, ${row.buffer_before_minutes},
      ${row.buffer_after_minutes}, ${row.minimum_notice_minutes}, ${row.horizon_days}, ${row.outside_hours}, ${row.hours},
      ${row.exceptions}, ${row.reminders}, ${row.confirm_words}, ${row.cancel_words}, ${row.timezone})
    on conflict (store_id) do update
    set overlap = excluded.overlap, capacity = excluded.capacity, slot_step_minutes = excluded.slot_step_minutes,
        buffer_before_minutes = excluded.buffer_before_minutes, buffer_after_minutes = excluded.buffer_after_minutes,
        minimum_notice_minutes = excluded.minimum_notice_minutes, horizon_days = excluded.horizon_days,
        outside_hours = excluded.outside_hours, hours = excluded.hours, exceptions = excluded.exceptions,
        reminders = excluded.reminders,
        confirm_words = excluded.confirm_words, cancel_words = excluded.cancel_words, timezone = excluded.timezone,
        version = r.version + 1, updated_at = greatest(clock_timestamp(), r.updated_at)
    returning ${columns(sql)}`;
  return saved as RulesRow;
}

/** Gives the rules the zone of the store, if it has rules. Returns whether they had another one. */
export async function saveZone(sql: TransactionSql, storeId: string, timezone: string): Promise<boolean> {
  const { count } = await sql`
    update booking_rules set timezone = ${timezone} where store_id = ${storeId} and timezone <> ${timezone}`;
  return count > 0;
}
