import { appointmentOf, uidOf } from '../calendar-event.ts';
import type { CalendarEvent, ListedEvent } from '../calendar-provider.ts';
import { contentHashOf, type EventMark, numberIn, timeMarkOf } from '../event-mark.ts';

// Names and rules of the fields: developers.google.com/workspace/calendar/api/v3/reference/events

export type GoogleTime = { readonly dateTime?: string; readonly date?: string; readonly timeZone?: string };

export type GoogleEvent = {
  readonly id?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly start?: GoogleTime;
  readonly end?: GoogleTime;
  readonly status?: string;
  readonly transparency?: string;
  /** When it was changed last. */
  readonly updated?: string;
  /** `RRULE`, `RDATE` and `EXDATE` lines of a series. */
  readonly recurrence?: readonly string[];
  /** Of an occurrence that differs from its series: the id of the series, and where it was. */
  readonly recurringEventId?: string;
  readonly originalStartTime?: GoogleTime;
  readonly attendees?: readonly {
    readonly self?: boolean;
    readonly responseStatus?: string;
    readonly [other: string]: unknown;
  }[];
  readonly extendedProperties?: { readonly private?: Readonly<Record<string, string>> };
  /** What people and Google have added. */
  readonly [other: string]: unknown;
};

/** An event as Google returned it, with what `put` needs to know. */
export type FoundEvent = { readonly event: GoogleEvent; readonly etag: string; readonly isCancelled: boolean };

/** The last instant that RFC 3339 can express. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * The first Google id of the event with this UID: the hexadecimal digits of its UUID (Google allows a–v and 0–9). The
 * adapter sets the id and not the UID: "only one of them should be supplied at event creation time".
 */
export const firstIdOf = (uid: string): string => appointmentOf(uid).replaceAll('-', '').toLowerCase();

/** The id after this one: `…g1`, `…g2`. A deleted event keeps its id, so the event that replaces it needs another. */
export function nextIdAfter(id: string): string {
  const [first, generation = '0'] = id.split('g');
  return `${first}g${Number(generation) + 1}`;
}

/** Whether the id belongs to the event with this UID. */
export const isIdOf = (id: string, uid: string): boolean => id.split('g')[0] === firstIdOf(uid);

/** The event to write. Members of `earlier` that Mostrador does not set keep what people wrote there. */
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
        // Google's `sequence` is no substitute, because an edit by a person raises it.
        mostrador_sequence: String(event.sequence),
        mostrador_epoch: String(event.epoch),
        mostrador_hash: contentHashOf(event),
        mostrador_time: timeMarkOf(event.startsAt.getTime(), event.durationMinutes),
        mostrador_store: event.storeId,
      },
    },
  };
}

/** Whether the event belongs to another appointment. Without the mark it is ours, because the id is our UUID. */
export function isForeign({ event }: FoundEvent, uid: string): boolean {
  const appointment = event.extendedProperties?.private?.mostrador_appointment;
  return appointment !== undefined && appointment !== appointmentOf(uid);
}

/** The event of an appointment, if the mark names one. */
export function listedIn({ extendedProperties, summary, start }: GoogleEvent): ListedEvent[] {
  const appointment = extendedProperties?.private?.mostrador_appointment;
  if (appointment === undefined) return [];
  const startMs = Date.parse(start?.dateTime ?? '');
  const startsAt = Number.isNaN(startMs) ? null : new Date(startMs);
  return [{ uid: uidOf(appointment), title: summary ?? null, startsAt }];
}

/** What Mostrador wrote about the event. */
export function markOf({ event }: FoundEvent): EventMark {
  const { mostrador_sequence, mostrador_epoch, mostrador_hash } = event.extendedProperties?.private ?? {};
  return {
    sequence: numberIn(mostrador_sequence),
    epoch: numberIn(mostrador_epoch),
    contentHash: mostrador_hash ?? null,
  };
}
