import ICAL from 'ical.js';
import type { CalendarEvent, ListedEvent } from './calendar-provider.ts';
import { contentHashOf, type EventMark, numberIn, timeMarkOf } from './event-mark.ts';

/** The refresh interval that a feed suggests to its subscribers. */
const feedRefresh = ICAL.Duration.fromSeconds(15 * 60);

/** The mark. SEQUENCE cannot hold the version of the appointment, because calendar programs raise it when a person edits. */
const properties = {
  sequence: 'x-mostrador-sequence',
  epoch: 'x-mostrador-epoch',
  contentHash: 'x-mostrador-hash',
  store: 'x-mostrador-store',
  time: 'x-mostrador-time',
} as const;

/** The last instant of iCalendar, whose years have four digits. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59);

/** An INTEGER of iCalendar has 32 bits. */
const lastSequence = 2 ** 31 - 1;

/** RFC 5545 allows no control character except tab. Common parsers break lines at Unicode separators. */
const plainText = (text: string): string =>
  text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

/** Renders an iCalendar document with one event, for a CalDAV PUT. SEQUENCE is higher than `above`, if given. */
export function renderEvent(event: CalendarEvent, above: number | null = null): string {
  const rendered = componentOf(event);
  const sequence = Math.min(Math.max(event.sequence, (above ?? -1) + 1), lastSequence);
  rendered.updatePropertyWithValue('sequence', sequence);
  rendered.addPropertyWithValue(properties.epoch, String(event.epoch));
  rendered.addPropertyWithValue(properties.contentHash, contentHashOf(event));
  rendered.addPropertyWithValue(properties.store, event.storeId);
  rendered.addPropertyWithValue(properties.time, timeMarkOf(event.startsAt.getTime(), event.durationMinutes));
  return calendarOf({}, [rendered]);
}

/**
 * Renders an event for the calendar of a customer (RFC 5546, 3.2.1), or removes it there (3.2.5). It has neither notes, which
 * are the store's own, nor our mark.
 */
export function renderInvitation(event: CalendarEvent, method: 'PUBLISH' | 'CANCEL'): string {
  const rendered = componentOf({ ...event, notes: null });
  rendered.removeProperty(properties.sequence);
  rendered.addPropertyWithValue('status', method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED');
  // The organizer that the method needs. A store has no address of its own.
  rendered.addPropertyWithValue('organizer', `urn:uuid:${event.storeId}`);
  return calendarOf({ method }, [rendered]);
}

/** Renders a feed. The same events give the same bytes, in any order. */
export function renderFeed(events: readonly CalendarEvent[], options: { name: string }): string {
  // ical.js escapes the texts of properties that it knows.
  const name = plainText(options.name)
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', ' ');
  const ordered = [...events].sort(
    (one, other) => one.startsAt.getTime() - other.startsAt.getTime() || (one.uid < other.uid ? -1 : 1),
  );
  return calendarOf(
    { name, 'x-wr-calname': name, 'refresh-interval': feedRefresh, 'x-published-ttl': feedRefresh.toString() },
    ordered.map(componentOf),
  );
}

/** The event in a document: its UID and SEQUENCE, our mark, and the store that it belongs to. */
export type EventIdentity = {
  readonly uid: string;
  /** SEQUENCE, which people's edits raise too. */
  readonly revision: number | null;
  readonly mark: EventMark;
  readonly storeId: string | null;
};

/** The identity of the event in a document, or null when it cannot be read. */
export function readIdentity(icalendar: string): EventIdentity | null {
  try {
    const event = new ICAL.Component(ICAL.parse(icalendar)).getFirstSubcomponent('vevent');
    const uid = event?.getFirstPropertyValue('uid');
    if (!event || typeof uid !== 'string') return null;
    const text = (property: string) => event.getFirstPropertyValue(property)?.toString() ?? null;
    const { sequence, epoch, contentHash, store } = properties;
    const mark = {
      sequence: numberIn(text(sequence)),
      epoch: numberIn(text(epoch)),
      contentHash: text(contentHash),
    };
    return { uid, revision: numberIn(text('sequence')), mark, storeId: text(store) };
  } catch {
    return null;
  }
}

/** What the event in a document shows. Null: the document does not say it. */
export function readShown(icalendar: string): Omit<ListedEvent, 'uid'> {
  try {
    const event = new ICAL.Component(ICAL.parse(icalendar)).getFirstSubcomponent('vevent');
    const start = event?.getFirstPropertyValue('dtstart');
    return {
      title: event?.getFirstPropertyValue('summary')?.toString() ?? null,
      startsAt: start instanceof ICAL.Time ? start.toJSDate() : null,
    };
  } catch {
    return { title: null, startsAt: null };
  }
}

function calendarOf(
  properties: Readonly<Record<string, string | ICAL.Duration>>,
  events: readonly ICAL.Component[],
): string {
  // ical.js does not count the space that begins a folded line. A line has at most 75 octets.
  ICAL.foldLength = 74;
  const calendar = new ICAL.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//Mostrador//Mostrador//EN');
  for (const [name, value] of Object.entries(properties)) calendar.addPropertyWithValue(name, value);
  for (const event of events) calendar.addSubcomponent(event);
  // RFC 5545 requires CRLF after every line, including the last one.
  return `${calendar.toString()}\r\n`;
}

function componentOf(event: CalendarEvent): ICAL.Component {
  const endsAt = event.startsAt.getTime() + event.durationMinutes * 60_000;
  const values = {
    uid: event.uid,
    sequence: event.sequence,
    dtstamp: timeOf(event.updatedAt),
    dtstart: timeOf(event.startsAt),
    dtend: timeOf(new Date(Math.min(endsAt, lastInstant))),
    summary: plainText(event.title),
    ...(event.notes !== null && { description: plainText(event.notes) }),
    created: timeOf(event.createdAt),
    'last-modified': timeOf(event.updatedAt),
    [properties.sequence]: String(event.sequence),
  };
  const component = new ICAL.Component('vevent');
  for (const [name, value] of Object.entries(values)) component.addPropertyWithValue(name, value);
  return component;
}

const timeOf = (instant: Date): ICAL.Time => ICAL.Time.fromJSDate(instant, true);
