import type { SeenEvent } from '../caldav/read-events.ts';
import { apiFault, conditionNotMet, deleted, duplicate, forbidden, invalid, notFound, required } from './errors.ts';

type Time = { dateTime?: string; date?: string; timeZone?: string };
type Properties = { private?: Record<string, string>; shared?: Record<string, string> };

/** The event resource, with the members used here: …/calendar/api/v3/reference/events */
export type StoredEvent = {
  id: string;
  etag: string;
  status: 'confirmed' | 'tentative' | 'cancelled';
  sequence: number;
  iCalUID: string;
  created: string;
  updated: string;
  start: Time;
  end: Time;
  summary?: string;
  description?: string;
  extendedProperties?: Properties;
  recurrence?: string[];
  recurringEventId?: string;
  originalStartTime?: Time;
  [other: string]: unknown;
};

export type EventBody = Partial<StoredEvent>;
export type Write = { readonly verb: 'insert' | 'update' | 'patch' | 'delete'; readonly id: string };

/** Stores the events of one calendar by Google's rules, and calls `onWrite` after each write. */
export function createEventStore(onWrite: () => void = () => {}) {
  const events = new Map<string, StoredEvent>();
  const journal: Write[] = [];
  let versions = 3_480_000_000_000_000;

  const write = (verb: Write['verb'], event: Omit<StoredEvent, 'etag' | 'updated'>): StoredEvent => {
    versions += 2000;
    const stored = { ...event, etag: `"${versions}"`, updated: new Date().toISOString() } as StoredEvent;
    events.set(stored.id, stored);
    journal.push({ verb, id: stored.id });
    onWrite();
    return stored;
  };

  /** The event to change. A deleted event keeps its id and rejects changes. */
  const writable = (id: string, ifMatch: string | undefined, gone: () => Error): StoredEvent => {
    const event = events.get(id);
    if (!event) throw notFound();
    if (event.status === 'cancelled') throw gone();
    // …/calendar/api/guides/version-resources: 412 unless the tag is the event's. Insert ignores `If-Match`.
    if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== event.etag) throw conditionNotMet();
    return event;
  };

  const store = {
    /** Every accepted write, in order, even when the client got no answer. */
    journal: journal as readonly Write[],

    all: (): StoredEvent[] => [...events.values()],

    insert(body: EventBody): StoredEvent {
      // "Provided IDs must follow these rules": base32hex, 5 to 1024 characters.
      if (body.id !== undefined && !/^[a-v0-9]{5,1024}$/.test(String(body.id))) {
        throw invalid('Invalid resource id value.');
      }
      // "Note that the iCalUID and the id are not identical and only one of them should be supplied".
      if (body.id !== undefined && body.iCalUID !== undefined) throw invalid('Only one of id and iCalUID.');
      checkFields(body);
      const id = body.id ?? `${Date.now().toString(32)}${events.size}`.replaceAll(/[^a-v0-9]/g, '0');
      if (events.has(id)) throw duplicate();
      const iCalUID = body.iCalUID ?? `${id}@google.com`;
      const fixed = { id, iCalUID, status: 'confirmed' as const, created: new Date().toISOString() };
      return write('insert', { ...inherited, ...writableFields(body), ...fixed, sequence: body.sequence ?? 0 });
    },

    get(id: string): StoredEvent {
      const event = events.get(id);
      if (!event) throw notFound();
      return event;
    },

    /** Replaces the event. Members that the body leaves out are cleared. */
    update(id: string, body: EventBody, ifMatch?: string): StoredEvent {
      const event = writable(id, ifMatch, forbidden);
      checkFields(body);
      return write('update', { ...inherited, ...changed(event, body), ...fixedFields(event) });
    },

    /** Changes the event. Members that the body leaves out stay. */
    patch(id: string, body: EventBody, ifMatch?: string): StoredEvent {
      const event = writable(id, ifMatch, forbidden);
      const whole = { ...event, ...body, sequence: body.sequence ?? event.sequence };
      checkFields(whole);
      return write('patch', { ...changed(event, whole), ...fixedFields(event) });
    },

    delete(id: string, ifMatch?: string): void {
      const event = writable(id, ifMatch, deleted);
      write('delete', { ...event, status: 'cancelled', sequence: event.sequence + 1 });
    },

    /** Deletes or moves one occurrence of a series, as a person does: an exception with an id of its own. */
    except(seriesId: string, original: string, moved?: { start: string; end: string }): StoredEvent {
      const { iCalUID, created, start, recurrence } = store.get(seriesId);
      if (!recurrence) throw invalid('Not a recurring event.');
      const id = `${seriesId}_${new Date(original).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
      const zone = { timeZone: start.timeZone as string };
      const times = moved ?? { start: original, end: original };
      return write(moved ? 'patch' : 'delete', {
        ...inherited,
        ...{ id, iCalUID, created, sequence: 0, status: moved ? ('confirmed' as const) : ('cancelled' as const) },
        ...{ recurringEventId: seriesId, originalStartTime: { dateTime: original, ...zone } },
        start: { dateTime: times.start, ...zone },
        end: { dateTime: times.end, ...zone },
      });
    },

    /** The number of the latest write, and that of an event. */
    version: () => versions,
    versionOf: ({ etag }: StoredEvent): number => Number(JSON.parse(etag)),

    list(options: {
      showDeleted: boolean;
      privateProperties: string[];
      iCalUID: string | null;
      timeMin: string | null;
    }): StoredEvent[] {
      return store.all().filter((event) => {
        const own = event.extendedProperties?.private ?? {};
        const hasProperties = options.privateProperties.every((constraint) => {
          const [name = '', value] = constraint.split('=');
          return own[name] === value;
        });
        const isUid = options.iCalUID === null || event.iCalUID === options.iCalUID;
        // "Lower bound (exclusive) for an event's end time to filter by." A series has later ends.
        const isLater =
          options.timeMin === null || Boolean(event.recurrence) || instantOf(event.end) > Date.parse(options.timeMin);
        // "Cancelled instances of recurring events (but not the underlying recurring event) will still be included if
        // showDeleted and singleEvents are both False."
        const isException =
          event.recurringEventId !== undefined && events.get(event.recurringEventId)?.status !== 'cancelled';
        return (
          hasProperties && isUid && isLater && (options.showDeleted || event.status !== 'cancelled' || isException)
        );
      });
    },
  };
  return store;
}

const inherited = { eventType: 'default', reminders: { useDefault: true } };
const readOnly = ['kind', 'etag', 'htmlLink', 'created', 'updated', 'creator', 'organizer', 'iCalUID', 'id'];

const writableFields = (body: EventBody): Pick<StoredEvent, 'start' | 'end'> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !readOnly.includes(name))) as StoredEvent;

const fixedFields = ({ id, iCalUID, created }: StoredEvent) => ({ id, iCalUID, created });

/** A missing `sequence` means 0. One below the event's is an "Invalid sequence value"; a new time raises it by one. */
function changed(event: StoredEvent, body: EventBody) {
  const sequence = body.sequence ?? 0;
  if (sequence < event.sequence) {
    const below = 'The specified sequence number is below the current sequence number of the resource.';
    throw invalid(`Invalid sequence value. ${below} Re-fetch the resource and use its sequence number.`);
  }
  const isMoved = instantOf(event.start) !== instantOf(body.start) || instantOf(event.end) !== instantOf(body.end);
  return { ...writableFields(body), status: body.status ?? 'confirmed', sequence: sequence + (isMoved ? 1 : 0) };
}

function checkFields({ start, end, sequence, extendedProperties, status }: EventBody): void {
  if (!start) throw required('start time');
  if (!end) throw required('end time');
  if (instantOf(start) > instantOf(end)) {
    throw apiFault(400, 'timeRangeEmpty', 'The specified time range is empty.', { domain: 'calendar' });
  }
  if (sequence !== undefined && !Number.isInteger(sequence)) throw invalid('Invalid value for: sequence');
  if (status !== undefined && !['confirmed', 'tentative', 'cancelled'].includes(status)) throw invalid('status');
  // …/calendar/api/guides/extended-properties: keys of at most 44 characters, values of at most 1024.
  for (const properties of [extendedProperties?.private, extendedProperties?.shared]) {
    for (const [name, value] of Object.entries(properties ?? {})) {
      if (name.length > 44 || typeof value !== 'string' || value.length > 1024) throw invalid('Invalid property.');
    }
  }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** "A time zone offset is required unless a time zone is explicitly specified in timeZone." */
function instantOf(time: Time | undefined): number {
  const { dateTime, date, timeZone } = time ?? {};
  if (timeZone !== undefined && !isTimeZone(timeZone)) throw invalid('Invalid time zone definition.');
  if ((dateTime === undefined) === (date === undefined)) throw invalid('Either dateTime or date.');
  if (date !== undefined) return parse(`${date}T00:00:00Z`);
  const match = rfc3339.exec(dateTime ?? '');
  if (!match) throw invalid(`Invalid value for: "${dateTime}" is malformed`);
  if (match[2] === undefined && timeZone === undefined) throw required('time zone definition for start time');
  return parse(match[2] === undefined ? `${dateTime}Z` : String(dateTime));
}

function parse(text: string): number {
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw invalid('Invalid value for a time');
  return instant;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The server answers with times in the calendar's own zone, whatever zone the request used. */
export const calendarZone = { timeZone: 'America/Sao_Paulo', offset: '-03:00', offsetMs: -3 * 3_600_000 };

/** A time in the calendar's zone, to the second. */
function inZone(time: StoredEvent['start']): StoredEvent['start'] {
  if (time.date !== undefined) return time;
  const local = new Date(instantOf(time) + calendarZone.offsetMs).toISOString().slice(0, 19);
  return { dateTime: `${local}${calendarZone.offset}`, timeZone: time.timeZone ?? calendarZone.timeZone };
}

/**
 * An event of a list. Of a deleted one only the id is sure, and of a cancelled occurrence its series and where it was:
 * …/calendar/api/v3/reference/events#status.
 */
export const listed = (event: StoredEvent) => {
  if (event.status !== 'cancelled') return shown(event);
  const { id, etag, status, recurringEventId, originalStartTime } = event;
  return { kind: 'calendar#event', id, etag, status, ...(recurringEventId && { recurringEventId, originalStartTime }) };
};

/** An event as the API returns it. */
export const shown = (event: StoredEvent) => ({
  kind: 'calendar#event',
  ...event,
  htmlLink: `https://www.google.com/calendar/event?eid=${event.id}`,
  creator: { email: 'ana@example.com', self: true },
  organizer: { email: 'agenda@group.calendar.google.com', self: true },
  start: inZone(event.start),
  end: inZone(event.end),
});

/** An event of ours as a person sees it. */
export function seen({ summary = '', description, start, end, extendedProperties }: StoredEvent): SeenEvent {
  const { mostrador_appointment: appointment, mostrador_sequence: sequence } = extendedProperties?.private ?? {};
  return {
    uid: `${appointment}@mostrador`,
    start: new Date(instantOf(start)).toISOString().replace('.000Z', 'Z'),
    duration_minutes: (instantOf(end) - instantOf(start)) / 60_000,
    title: summary,
    notes: description ? description : null,
    sequence: Number(sequence),
  };
}
