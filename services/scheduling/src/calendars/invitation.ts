import type { ShownAppointment } from '../appointments/appointment.repository.ts';
import { toCalendarEvent } from './calendar-event.ts';
import { renderInvitation } from './icalendar.ts';

/** The file that puts an appointment into the calendar of its customer, or removes it there when it is cancelled. */
export function invitationOf(row: ShownAppointment, fencedAt: Date | null) {
  const method = row.status === 'cancelled' ? 'CANCEL' : 'PUBLISH';
  return {
    file_name: 'appointment.ics',
    mime_type: `text/calendar; charset=utf-8; method=${method}`,
    content: renderInvitation(toCalendarEvent(row, { fenced_at: fencedAt }), method),
  };
}
