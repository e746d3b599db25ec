import ICAL from 'ical.js';
import ical, { type ICalCalendar, type ICalEvent } from 'ical-generator';
import type { CalendarEvent } from './calendar-provider.ts';
import { contentHashOf, type EventMark, numberIn } from './event-mark.ts';

/** The refresh interval that a feed suggests to its subscribers. */
const feedRefreshSeconds = 15 * 60;

/** The mark. SEQUENCE cannot hold the version of the appointment, because calendar programs raise it when a person edits. */
const properties = {
  sequence: 'X-MOSTRADOR-SEQUENCE',
  epoch: 'X-MOSTRADOR-EPOCH',
  contentHash: 'X-MOSTRADOR-HASH',
  store: 'X-MOSTRADOR-STORE',
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
  const calendar = newCalendar();
  const added = addEvent(calendar, event);
  added.sequence(Math.min(Math.max(event.sequence, (above ?? -1) + 1), lastSequence));
  added.x(properties.epoch, String(event.epoch));
  added.x(properties.contentHash, contentHashOf(event));
  added.x(properties.store, event.storeId);
  return finish(calendar);
}

/** Renders a feed. The same events give the same bytes, in any order. */
export function renderFeed(events: readonly CalendarEvent[], options: { name: string }): string {
  const calendar = newCalendar();
  // ical-generator escapes the texts of events, but not the name.
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
    const text = (property: string) => event.getFirstPropertyValue(property.toLowerCase())?.toString() ?? null;
    const { sequence, epoch, contentHash, store } = properties;
    const mark = {
      sequence: numberIn(text(sequence)),
      epoch: numberIn(text(epoch)),
      contentHash: text(contentHash),
    };
    return { uid, revision: numberIn(text('SEQUENCE')), mark, storeId: text(store) };
  } catch {
    return null;
  }
}

const newCalendar = (): ICalCalendar => ical({ prodId: { company: 'Mostrador', product: 'Mostrador' } });

function addEvent(calendar: ICalCalendar, event: CalendarEvent): ICalEvent {
  const endsAt = event.startsAt.getTime() + event.durationMinutes * 60_000;
  return calendar.createEvent({
    id: event.uid,
    sequence: event.sequence,
    stamp: event.updatedAt,
    created: event.createdAt,
    lastModified: event.updatedAt,
    start: event.startsAt,
    end: new Date(Math.min(endsAt, lastInstant)),
    summary: plainText(event.title),
    description: event.notes === null ? null : plainText(event.notes),
    x: [{ key: properties.sequence, value: String(event.sequence) }],
  });
}

/** RFC 5545 requires CRLF after every line, including the last one. */
const finish = (calendar: ICalCalendar): string => `${calendar.toString()}\r\n`;
