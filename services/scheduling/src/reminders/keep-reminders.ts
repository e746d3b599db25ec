import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox, causedBy, type OutboxEntry } from '@mostrador/kit/outbox/outbox';
import type { Origin } from '@mostrador/kit/rpc/actor';
import type { AppointmentRow } from '../appointments/appointment.ts';
import type { RulesRow } from '../booking/rules.ts';
import { cancelLocked } from '../followups/cancel-followup.ts';
import { replaceContent } from '../followups/change-followup.ts';
import { saveFollowup } from '../followups/followup.repository.ts';
import { followupEvents, wakeFollowup } from '../followups/followup.ts';
import { planAttempt } from '../followups/sending-window.ts';
import { findSendingWindows } from '../followups/sending-windows.repository.ts';
import { planReminders } from './plan-reminders.ts';
import { insertReminders, lockReminders, type NewReminder, newIds } from './reminder.repository.ts';

/** An appointment, and what caused its change. Default: what caused the transaction. */
type Kept = { readonly row: AppointmentRow; readonly origin?: Origin };

/**
 * Gives the appointments the reminders of the rules, in the transaction that writes them: creates, moves and cancels
 * follow-ups. Idempotent. The caller holds the locks of the rules and of the appointments, so that of two changes of an
 * appointment the later one sees the reminders of the earlier one. Nudge the relay after the commit.
 */
export async function keepReminders(
  sql: TransactionSql,
  rules: RulesRow,
  appointments: readonly Kept[],
): Promise<void> {
  const { store_id: storeId, reminders, timezone } = rules;
  const concerned = appointments.filter(({ row }) => row.lead_id !== null);
  if (concerned.length === 0) return;
  const { rows, now } = await lockReminders(
    sql,
    storeId,
    concerned.map(({ row }) => row.id),
  );
  if (reminders.length === 0 && rows.length === 0) return;
  const windows = await findSendingWindows(sql, storeId);
  const planned = concerned.map(({ row, origin = sql.origin }) => {
    const existing = rows.filter(({ appointment_id }) => appointment_id === row.id);
    return { appointment: row, origin, ...planReminders(row, reminders, existing, now) };
  });

  for (const { row, content } of planned.flatMap(({ change }) => change)) {
    const change = replaceContent(row, content, (dueAt) => planAttempt(windows, timezone, dueAt, row.id));
    const saved = await saveFollowup(sql, storeId, row.id, change);
    await appendOutbox(sql, storeId, [wakeFollowup(saved, 'rescheduled'), ...followupEvents.updated(row, saved)]);
  }
  for (const { row, reason } of planned.flatMap(({ cancel }) => cancel)) await cancelLocked(sql, storeId, row, reason);

  const wanted = planned.flatMap(({ appointment, origin, create }) =>
    create.map((content) => ({ content, appointment, origin })),
  );
  if (wanted.length === 0) return;
  const ids = await newIds(sql, wanted.length);
  const created = wanted.map(({ content, appointment }, index): NewReminder => {
    const id = ids[index] as string;
    const next_attempt_at = planAttempt(windows, timezone, content.due_at, id);
    return { ...content, id, lead_id: appointment.lead_id as string, appointment_id: appointment.id, next_attempt_at };
  });
  const saved = await insertReminders(sql, storeId, created, now);
  const entries = saved.flatMap((row): OutboxEntry[] => {
    const { origin } = wanted[ids.indexOf(row.id)] as (typeof wanted)[number];
    return [...causedBy(origin, followupEvents.scheduled(row)), wakeFollowup(row, 'scheduled')];
  });
  await appendOutbox(sql, storeId, entries);
}
