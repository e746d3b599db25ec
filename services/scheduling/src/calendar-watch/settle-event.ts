import { isExclusionViolation, type TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findAppointment, lockAppointment } from '../appointments/appointment.repository.ts';
import { type AppointmentRow, appointmentChangeRefused, wakeAppointment } from '../appointments/appointment.ts';
import { change, plan } from '../appointments/update-appointment.ts';
import { lockRules } from '../booking/rules.repository.ts';
import { findSync, requestWriteBack } from '../calendar-sync/sync.repository.ts';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { insertFacts } from '../reports/appointment-fact.repository.ts';
import { refusedFact } from '../reports/appointment-facts.ts';
import { type EventChange, eventChange, type SeenEvent } from './event-change.ts';

/** The event of an appointment as it was read. */
export type ReadEvent = {
  readonly connectionId: string;
  readonly appointmentId: string;
  readonly seen: SeenEvent;
  /** By the database clock, before the read. */
  readonly readAt: Date;
};

/**
 * Brings what a person did to an event to its appointment, by the rules of the API. A change that they refuse is undone in
 * the calendar, and told by an event. Returns `later` when nothing can be decided yet. Safe to repeat.
 */
export async function settleEvent(
  dependencies: Pick<Dependencies, 'database' | 'rpc'>,
  context: StoreContext,
  event: ReadEvent,
): Promise<'settled' | 'later'> {
  const { database } = dependencies;
  const { storeId } = context;
  const id = event.appointmentId;
  const found = await database.read(context, async (sql) => {
    const [[appointment], sync] = await Promise.all([findAppointment(sql, storeId, id), findSync(sql, storeId, id)]);
    return eventChange({ ...event, appointment, sync });
  });
  if (found.kind === 'none') return 'settled';
  if (found.kind === 'later') return 'later';
  if (found.kind === 'refuse') return await refuse(dependencies, context, event, found.reason);
  try {
    const { patch, named } = await plan(dependencies, context, id, found.patch);
    return await database.write(context, async (sql) => {
      const now = await decideAgain(sql, storeId, event);
      if (now.kind !== 'patch') return now.kind === 'none' ? 'settled' : 'later';
      await change(sql, { storeId, ifMatch: undefined }, id, { patch, named, source: 'calendar' });
      return 'settled';
    });
  } catch (error) {
    if (isExclusionViolation(error, 'bookings_place')) {
      return await refuse(dependencies, context, event, 'appointment_conflict');
    }
    if (error instanceof AppError && error.status < 500) return await refuse(dependencies, context, event, error.code);
    throw error;
  }
}

async function refuse(
  { database }: Pick<Dependencies, 'database'>,
  context: StoreContext,
  event: ReadEvent,
  reason: string,
): Promise<'settled' | 'later'> {
  const { storeId } = context;
  const { seen, connectionId, appointmentId } = event;
  return await database.write(context, async (sql) => {
    const now = await decideAgain(sql, storeId, event);
    if (now.kind === 'none') return 'settled';
    if (now.kind === 'later' || seen === 'gone') return 'later';
    const row = now.appointment;
    const startsAt = seen.start === null ? null : new Date(seen.start);
    await requestWriteBack(sql, storeId, { id: appointmentId, version: row.version }, connectionId);
    if (reason === 'appointment_conflict') await insertFacts(sql, storeId, [refusedFact(row)]);
    await appendOutbox(sql, storeId, [
      appointmentChangeRefused(row, { startsAt, durationMinutes: seen.durationMinutes, reason }),
      wakeAppointment(row, 'changed'),
    ]);
    return 'settled';
  });
}

/** Decides under the locks of a change. The connection may have ended, and the appointment may have changed. */
async function decideAgain(
  sql: TransactionSql,
  storeId: string,
  event: ReadEvent,
): Promise<EventChange & { readonly appointment: AppointmentRow }> {
  const connection = await lockCalendarConnection(sql, storeId);
  await lockRules(sql, storeId);
  const appointment = await lockAppointment(sql, storeId, event.appointmentId);
  const sync = await findSync(sql, storeId, event.appointmentId);
  const isCurrent = connection?.id === event.connectionId;
  const decided = isCurrent ? eventChange({ ...event, appointment, sync }) : ({ kind: 'none' } as const);
  return { ...decided, appointment: appointment as AppointmentRow };
}
