import type { AppointmentRow } from '../appointments/appointment.ts';
import type { CalendarEvent } from './calendar-provider.ts';

/** The calendar event of an appointment. */
export function toCalendarEvent(row: AppointmentRow): CalendarEvent {
  return {
    uid: uidOf(row.id),
    sequence: row.version - 1,
    title: row.title,
    notes: row.notes,
    startsAt: row.scheduled_at,
    durationMinutes: row.duration_minutes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The UID of an appointment's event. It derives from the id, so that every attempt writes the same event. */
export const uidOf = (appointmentId: string): string => `${appointmentId}@mostrador`;
