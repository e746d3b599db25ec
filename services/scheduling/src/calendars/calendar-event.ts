import type { ShownAppointment } from '../appointments/appointment.repository.ts';
import type { AppointmentRow } from '../appointments/appointment.ts';
import type { CalendarEvent } from './calendar-provider.ts';
import type { ConnectionRow } from './connection.repository.ts';
import type { Customer } from './customer.ts';

/**
 * The calendar event of an appointment. A feed and an invitation have no epoch, because nothing is compared with them. The customer, if it is
 * shown, stands behind the title and above the notes, in no language.
 */
export function toCalendarEvent(
  row: ShownAppointment & Partial<Pick<AppointmentRow, 'moved_at'>>,
  connection?: Pick<ConnectionRow, 'fenced_at'> & Partial<Pick<ConnectionRow, 'epoch'>>,
  customer?: Customer,
): CalendarEvent {
  return {
    uid: uidOf(row.id),
    storeId: row.store_id,
    sequence: firstSequence(connection?.fenced_at ?? null) + row.version - 1,
    epoch: connection?.epoch?.getTime() ?? 0,
    title: customer ? `${row.title} · ${customer.name}` : row.title,
    notes: customer
      ? [`${customer.name}\n${customer.phone ?? ''}`.trim(), row.notes].filter(Boolean).join('\n\n')
      : row.notes,
    startsAt: row.scheduled_at,
    durationMinutes: row.duration_minutes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    timeChangedAt: row.moved_at ?? row.updated_at,
  };
}

/** The id of the appointment whose event has this UID. */
export const appointmentOf = (uid: string): string => uid.replace(/@.*$/, '');

/** The UID of an appointment's event. It derives from the id, so that every attempt writes the same event. */
export const uidOf = (appointmentId: string): string => `${appointmentId}@mostrador`;

const begun = Date.UTC(2026, 0, 1);

/** The minutes until the latest restore: more than any appointment changed before it. So SEQUENCE never decreases. */
const firstSequence = (fencedAt: Date | null): number =>
  fencedAt === null ? 0 : Math.floor((fencedAt.getTime() - begun) / 60_000);

const ourUid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}@mostrador$/;

/** Whether an event in a calendar is that of an appointment of the store. A program may drop the mark, and keeps the UID. */
export const isEventOfStore = (
  { uid, storeId: marked }: { readonly uid: string; readonly storeId: string | null },
  storeId: string,
): boolean => ourUid.test(uid) && (marked === null || marked === storeId);

/** The appointment whose event is written to this address, or with this id of Google, if it can be one. */
export const appointmentAt = (href: string): string | null =>
  /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.ics$/.exec(href)?.[1] ??
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})(?:g\d+)?$/.exec(href)?.slice(1).join('-') ??
  null;
