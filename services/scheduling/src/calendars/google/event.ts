import type { calendar_v3 } from '@googleapis/calendar';
import type { CalendarEvent } from '../calendar-provider.ts';

// Names and rules of the fields: developers.google.com/workspace/calendar/api/v3/reference/events

export type GoogleEvent = calendar_v3.Schema$Event;

/** An event of ours as Google has it, as far as putting it needs to know. */
export type FoundEvent = { readonly event: GoogleEvent; readonly etag: string; readonly isCancelled: boolean };

/** The last instant that RFC 3339 can write. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59);

/** `<appointment id>` of the UID `<appointment id>@mostrador`. */
const appointmentOf = (uid: string): string => uid.replace(/@.*$/, '');

/**
 * Google's id of the event with this UID: the hexadecimal digits of its UUID (the alphabet is a–v and 0–9). It is
 * ours to choose, and the UID is not: "only one of them should be supplied at event creation time".
 */
export const firstIdOf = (uid: string): string => appointmentOf(uid).replaceAll('-', '').toLowerCase();

/** The id after this one. A deleted event's id stays taken, so the event that replaces it needs another: `…g1`, `…g2`. */
export function nextIdAfter(id: string): string {
  const [first, generation = '0'] = id.split('g');
  return `${first}g${Number(generation) + 1}`;
}

/** Whether this is one of the ids of the event with this UID. */
export const isIdOf = (id: string, uid: string): boolean => id.split('g')[0] === firstIdOf(uid);

/** What the calendar is to show. Everything else about an event is left to the people who use the calendar. */
export function toGoogle(event: CalendarEvent, earlier: GoogleEvent = {}): GoogleEvent {
  const endsAt = new Date(Math.min(event.startsAt.getTime() + event.durationMinutes * 60_000, lastInstant));
  return {
    ...earlier,
    summary: event.title,
    description: event.notes ?? '',
    start: { dateTime: event.startsAt.toISOString(), timeZone: 'UTC' },
    end: { dateTime: endsAt.toISOString(), timeZone: 'UTC' },
    extendedProperties: {
      ...earlier.extendedProperties,
      private: {
        ...earlier.extendedProperties?.private,
        mostrador_appointment: appointmentOf(event.uid),
        // Google's own `sequence` cannot tell: it rises when a person edits.
        mostrador_sequence: String(event.sequence),
      },
    },
  };
}

/** Whether what is at our id belongs to something else. Nothing said is as good as ours: the id is a UUID of ours. */
export function isForeign({ event }: FoundEvent, uid: string): boolean {
  const appointment = event.extendedProperties?.private?.mostrador_appointment;
  return appointment !== undefined && appointment !== appointmentOf(uid);
}

/** Which of our versions the calendar shows, or null when that has been lost. */
export function versionOf({ event }: FoundEvent): number | null {
  const sequence = Number.parseInt(event.extendedProperties?.private?.mostrador_sequence ?? '', 10);
  return Number.isNaN(sequence) ? null : sequence;
}
