import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { RulesRow } from '../booking/rules.ts';
import { followVersion, requestSyncs } from '../calendar-sync/sync.repository.ts';
import type { ConnectionRow } from '../calendars/connection.repository.ts';
import { keepReminders } from '../reminders/keep-reminders.ts';
import { insertFacts } from '../reports/appointment-fact.repository.ts';
import { factsOfChange } from '../reports/appointment-facts.ts';
import { saveAppointment } from './appointment.repository.ts';
import {
  type AppointmentContent,
  type AppointmentRow,
  appointmentRebooked,
  appointmentUpdated,
  isShown,
  signalOfChange,
  sourceOf,
  wakeAppointment,
} from './appointment.ts';

type Around = {
  readonly connection: ConnectionRow | undefined;
  readonly rules: RulesRow | undefined;
  /** Where the change came from, when the caller's actor does not say it. */
  readonly source?: 'calendar' | undefined;
};

/**
 * Writes the change of an appointment, with all that follows from it but its place. The caller holds the locks of the
 * calendar connection, the rules and the appointment. Nudge the relay after the commit.
 */
export async function saveChange(
  sql: TransactionSql,
  { connection, rules, source }: Around,
  current: AppointmentRow,
  changed: AppointmentContent,
): Promise<AppointmentRow> {
  const { store_id: storeId, id } = current;
  const saved = await saveAppointment(sql, storeId, id, changed);
  const from = source ?? sourceOf(sql.origin.actor?.kind);
  const shows = isShown(current, saved);
  const toSync = shows ? connection : undefined;
  await Promise.all([
    toSync && requestSyncs(sql, storeId, [saved], toSync.id),
    shows || followVersion(sql, storeId, saved),
    appendOutbox(sql, storeId, [
      ...appointmentUpdated(current, saved),
      ...(rules || source ? appointmentRebooked(current, saved, from) : []),
      ...(toSync ? [wakeAppointment(saved, signalOfChange(changed))] : []),
    ]),
    insertFacts(sql, storeId, factsOfChange(current, saved, from)),
  ]);
  const startsElse = saved.scheduled_at.getTime() !== current.scheduled_at.getTime();
  if (rules && (startsElse || saved.status !== current.status)) await keepReminders(sql, rules, [{ row: saved }]);
  return saved;
}
