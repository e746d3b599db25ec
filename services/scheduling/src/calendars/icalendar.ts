import ICAL from 'ical.js';
import ical, { type ICalCalendar } from 'ical-generator';
import type { CalendarEvent } from './calendar-provider.ts';

/** How often a program that subscribed to a feed is asked to read it again. */
const feedRefreshSeconds = 15 * 60;

/** Which of our versions an event carries. SEQUENCE cannot tell: calendar programs raise it when a person edits. */
const sequenceProperty = 'X-MOSTRADOR-SEQUENCE';

/** iCalendar has four digits for a year. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59);

/** RFC 5545 has no control characters but the tab, and common parsers break lines at Unicode's separators. */
const plainText = (text: string): string =>
  text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

/** An iCalendar document with this one event, for a CalDAV PUT. */
export function renderEvent(event: CalendarEvent): string {
  const calendar = newCalendar();
  addEvent(calendar, event);
  return finish(calendar);
}

/** A whole feed. The same events give the same bytes, in whatever order they come. */
export function renderFeed(events: readonly CalendarEvent[], options: { name: string }): string {
  const calendar = newCalendar();
  // ical-generator escapes texts of events, but not the name.
  calendar.name(
    plainText(options.name)
      .replace(/[\\;,]/g, '\\$&')
      .replaceAll('\n', ' '),
  );
  calendar.ttl(feedRefreshSeconds);
  const ordered = [...events].sort(
    (one, other) => one.startsAt.getTime() - other.startsAt.getTime() || (one.uid < other.uid ? -1 : 1),
  );
  for (const event of ordered) addEvent(calendar, event);
  return finish(calendar);
}

/** Whose event a document holds and which version of it, or null when it cannot be read. */
export function readIdentity(icalendar: string): { uid: string; sequence: number | null } | null {
  try {
    const event = new ICAL.Component(ICAL.parse(icalendar)).getFirstSubcomponent('vevent');
    const uid = event?.getFirstPropertyValue('uid');
    if (!event || typeof uid !== 'string') return null;
    const sequence = Number.parseInt(String(event.getFirstPropertyValue(sequenceProperty.toLowerCase())), 10);
    return { uid, sequence: Number.isNaN(sequence) ? null : sequence };
  } catch {
    return null;
  }
}

const newCalendar = (): ICalCalendar => ical({ prodId: { company: 'Mostrador', product: 'Mostrador' } });

function addEvent(calendar: ICalCalendar, event: CalendarEvent): void {
  const endsAt = event.startsAt.getTime() + event.durationMinutes * 60_000;
  calendar.createEvent({
    id: event.uid,
    sequence: event.sequence,
    stamp: event.updatedAt,
    created: event.createdAt,
    lastModified: event.updatedAt,
    start: event.startsAt,
    end: new Date(Math.min(endsAt, lastInstant)),
    summary: plainText(event.title),
    description: event.notes === null ? null : plainText(event.notes),
    x: [{ key: sequenceProperty, value: String(event.sequence) }],
  });
}

/** RFC 5545 ends every line, the last one too, with CRLF. */
const finish = (calendar: ICalCalendar): string => `${calendar.toString()}\r\n`;
