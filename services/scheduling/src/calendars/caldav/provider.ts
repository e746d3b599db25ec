import type { Egress } from '@mostrador/kit/clients/egress';
import { withoutAddedCoding } from '@mostrador/kit/database/etag';
import { appointmentOf } from '../calendar-event.ts';
import { movedTimeIn } from '../calendar-object.ts';
import {
  CalendarError,
  type CalendarEvent,
  type CalendarProvider,
  type EventReference,
  type EventTime,
  type ListedEvent,
  type WrittenEvent,
} from '../calendar-provider.ts';
import { isKept, isShownBy, isUpToDate, type MovedTime } from '../event-mark.ts';
import { type EventIdentity, readIdentity, readShown, renderEvent } from '../icalendar.ts';
import { memberAddress } from './addresses.ts';
import { authorizationOf, collectionUrl, createCaldavFetch } from './http.ts';
import { childrenOf, type DavResponse, localName, readMultistatus } from './multistatus.ts';
import { type Reading, readChanges, readObjects } from './reader.ts';
import { eventPrecondition, hiddenEvent, isUidConflict, refusalOf, unreadable } from './refusal.ts';
import { escaped, eventsRequest, propertiesRequest, timeRange } from './requests.ts';

/** Limit of one provider call with all of its requests. Shorter than the RPC, the lease and the activity around it. */
const callTimeoutMs = 10_000;

/** The most rounds of write and read in one `put`. When the event still changes, the attempt ends as `unavailable`. */
const maxRounds = 4;

type Settings = { url?: string; username?: string; password?: string; timeoutMs?: number; egress: Egress };
type Found = { href: string; etag: string | null; identity: EventIdentity | null; moved: MovedTime | null };
type Precondition = { 'If-None-Match': '*' } | { 'If-Match': string } | Record<never, never>;
/**
 * `condition_failed`: another event is there, or none where `If-Match` expects one. `uid_taken`: another address in the
 * calendar has an event with this UID.
 */
type Written = { readonly etag: string | null } | 'condition_failed' | 'uid_taken';

/** A calendar collection on a CalDAV server (RFC 4791). */
export function createCaldavProvider(settings: Settings): CalendarProvider {
  const call = async <T>(signal: AbortSignal, work: (calendar: Collection) => Promise<T>): Promise<T> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(settings.timeoutMs ?? callTimeoutMs)]);
    try {
      return await work(openCollection(settings, limit));
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      throw unreadable(error);
    }
  };
  return {
    verify: (signal) => call(signal, verify),
    put: (event, known, signal) => call(signal, (calendar) => put(calendar, event, known)),
    remove: ({ eventId, href }, signal) =>
      call(signal, (calendar) => calendar.remove(calendar.knownHref(href) ?? calendar.hrefOf(eventId))),
    list: (storeId, after, signal) => call(signal, (calendar) => calendar.eventsOf(storeId, after)),
    reader: {
      changes: (cursor, since, signal) => call(signal, (calendar) => readChanges(calendar.reading, cursor, since)),
      // One request, unless the objects are large.
      read: (hrefs, _until, signal) =>
        call(signal, async (calendar) => ({ objects: await readObjects(calendar.reading, hrefs), unread: [] })),
      hasUid: (uid, signal) => call(signal, async (calendar) => (await findElsewhere(calendar, uid)) !== null),
    },
  };
}

type Collection = ReturnType<typeof openCollection>;

/** The requests to a collection. */
function openCollection(settings: Settings, signal: AbortSignal) {
  const { egress } = settings;
  const base = collectionUrl(settings.url);
  const authorization = authorizationOf(settings.username, settings.password);
  const fetchExpecting = (...expected: number[]) => createCaldavFetch({ egress, authorization, signal, expected });
  const query = async (property: string, filter: string): Promise<DavResponse[]> => {
    const found = await readMultistatus(await fetchExpecting()(base.href, eventsRequest(property, filter)));
    if (!found) throw unreadable();
    return found;
  };

  const reading: Reading = {
    base,
    fetch: (mostBytes, expected = []) => createCaldavFetch({ egress, authorization, signal, expected, mostBytes }),
  };

  return {
    reading,

    /** `<appointment id>.ics` for the UID `<appointment id>@mostrador`. */
    hrefOf: (uid: string): string => new URL(`${encodeURIComponent(appointmentOf(uid))}.ics`, base).href,

    /** The recorded address of an event, if it can be one of this collection. */
    knownHref: (href: string | null): string | undefined => (href === null ? undefined : memberAddress(base, href)),

    /** Undefined: what is at the address knows nothing of WebDAV. */
    async describe(): Promise<DavResponse | undefined> {
      const properties = '<d:resourcetype/><c:supported-calendar-component-set/><d:current-user-privilege-set/>';
      const found = await readMultistatus(await fetchExpecting()(base.href, propertiesRequest(properties)));
      return found?.[0];
    },

    async put(href: string, icalendar: string, precondition: Precondition): Promise<Written> {
      // With `If-Match`, 404 means that the event is gone. Without it, 404 means that the collection does not exist.
      const missing = 'If-Match' in precondition ? [404, 410] : [];
      const headers = { 'Content-Type': 'text/calendar; charset=utf-8', ...precondition };
      const fetch = fetchExpecting(400, 403, 409, 412, 422, ...missing);
      const response = await fetch(href, { method: 'PUT', headers, body: icalendar });
      if (response.ok) return { etag: usableEtag(response) };
      const { status } = response;
      const body = await response.text();
      if (isUidConflict(body)) return 'uid_taken';
      const failed = [409, 412, ...missing].includes(status) && !eventPrecondition(body);
      if (!failed) throw refusalOf(status, response.headers, body);
      return 'condition_failed';
    },

    async get(href: string): Promise<Found | null> {
      const response = await fetchExpecting(404, 410)(href);
      if (!response.ok) return null;
      const icalendar = await response.text();
      const [identity, moved] = [readIdentity(icalendar), movedTimeIn(icalendar)];
      return { href, etag: usableEtag(response), identity, moved };
    },

    /** Addresses of events with this UID. Another program or an import may have put them anywhere in the collection. */
    async hrefsWithUid(uid: string): Promise<string[]> {
      const filter = `<c:prop-filter name="UID"><c:text-match>${escaped(uid)}</c:text-match></c:prop-filter>`;
      const hrefs = (await query('<d:getetag/>', filter)).flatMap(({ href }) => memberAddress(base, href) ?? []);
      return hrefs.slice(0, maxRounds);
    },

    /** The store's events after this moment. Only the events themselves say whose they are. */
    async eventsOf(storeId: string, after: Date): Promise<ListedEvent[]> {
      const found = await query('<c:calendar-data/>', timeRange(after));
      return found.flatMap(({ props }) => {
        const icalendar = props.find((prop) => localName(prop) === 'calendar-data')?.text ?? '';
        const identity = readIdentity(icalendar);
        return identity?.storeId === storeId ? [{ uid: identity.uid, ...readShown(icalendar) }] : [];
      });
    },

    /** Succeeds when the event is already gone. Sends no `If-Match`, so that an edit by a person does not stop it. */
    async remove(href: string): Promise<void> {
      await fetchExpecting(404, 410)(href, { method: 'DELETE' });
    },
  };
}

/** The ETag of a response, if it can be used in `If-Match`. That of a compressed response is the compressing proxy's. */
function usableEtag({ headers }: Response): string | null {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() || 'identity';
  return coding === 'identity' ? strongEtag(headers.get('etag')) : null;
}

/** `If-Match` compares strongly (RFC 9110 13.1.1), so a weak ETag counts as none, and so does one with a coding in it. */
const strongEtag = (etag: string | null): string | null =>
  etag?.startsWith('"') && withoutAddedCoding(etag) === etag ? etag : null;

/**
 * Creates the event or replaces it. Succeeds without a write when the calendar has this content or a newer version: the
 * response to an earlier attempt was lost, or this attempt is late.
 */
async function put(calendar: Collection, event: CalendarEvent, known: EventReference | null): Promise<WrittenEvent> {
  let icalendar = renderEvent(event);
  const earlier = known && calendar.knownHref(known.href);
  let href = earlier ?? calendar.hrefOf(event.uid);
  // An earlier version of this service has recorded any ETag.
  const etag = known && strongEtag(known.etag);
  // Without an ETag to compare, read the event before overwriting it.
  let precondition: Precondition | null = earlier ? (etag ? { 'If-Match': etag } : null) : { 'If-None-Match': '*' };
  let isHidden = false;
  let replaced: EventTime | null = null;
  let isDeleted = false;
  for (let round = 0; round < maxRounds; round++) {
    const written = precondition && (await calendar.put(href, icalendar, precondition));
    if (typeof written === 'object' && written)
      return {
        eventId: event.uid,
        href,
        etag: written.etag,
        ...(replaced && { replaced }),
        ...(isDeleted && { isDeleted: true }),
      };
    const here = await calendar.get(href);
    const mayBeElsewhere = written === 'uid_taken' || (precondition !== null && 'If-None-Match' in precondition);
    // Without the condition that nothing is there, the event was.
    const isGone = earlier !== undefined && here === null && !mayBeElsewhere;
    const isSought = mayBeElsewhere ? here?.identity?.uid !== event.uid : isGone && event.staysDeleted;
    const found = (isSought && (await findElsewhere(calendar, event.uid))) || here;
    if (!found) {
      if (isGone && event.staysDeleted) return { eventId: event.uid, href, etag: null, isDeleted: true };
      isDeleted ||= isGone;
      // Once, the event may have been deleted between the write and the search.
      if (written === 'uid_taken' && isHidden) throw hiddenEvent();
      isHidden = written === 'uid_taken';
      precondition = { 'If-None-Match': '*' };
      continue;
    }
    if (found.identity?.uid !== event.uid) {
      const detail = "Another object is at the event's address. Delete it, then change the appointment.";
      throw new CalendarError('rejected', 'calendar_event_conflict', detail);
    }
    if (isUpToDate(found.identity.mark, event)) {
      return { eventId: event.uid, href: found.href, etag: found.etag };
    }
    const moved = isShownBy(event, found.moved) ? null : found.moved;
    if (moved && isKept(event, moved)) return { eventId: event.uid, href: found.href, etag: null };
    replaced = moved;
    icalendar = renderEvent(event, found.identity.revision);
    href = found.href;
    precondition = found.etag ? { 'If-Match': found.etag } : {};
  }
  throw new CalendarError('unavailable', 'calendar_conflict', 'The event keeps changing in the calendar.');
}

async function findElsewhere(calendar: Collection, uid: string): Promise<Found | null> {
  for (const href of await calendar.hrefsWithUid(uid)) {
    const found = await calendar.get(href);
    if (found?.identity?.uid === uid) return found;
  }
  return null;
}

/** Checks that the address is a calendar that supports events and that its privileges, if listed, allow writing. */
async function verify(calendar: Collection): Promise<void> {
  const answer = await calendar.describe();
  if (answer?.status && answer.status >= 400) throw refusalOf(answer.status, new Headers(), '');
  /** The elements in a property, or none. */
  const members = (name: string) =>
    (answer?.props ?? []).filter((prop) => localName(prop) === name).flatMap((prop) => childrenOf(prop));
  if (!members('resourcetype').some((type) => localName(type) === 'calendar')) {
    const detail = 'There is no calendar at this address. Connect with the address of one calendar, not of an account.';
    throw new CalendarError('refused', 'calendar_not_a_calendar', detail);
  }
  const components = members('supported-calendar-component-set').map(({ attributes }) => attributes.name);
  if (components.length > 0 && !components.includes('VEVENT')) {
    throw new CalendarError('refused', 'calendar_takes_no_events', 'The calendar cannot hold events. Use another.');
  }
  const privileges = members('current-user-privilege-set').flatMap((privilege) => childrenOf(privilege));
  const writing = ['all', 'write', 'bind'];
  if (privileges.length > 0 && !privileges.some((privilege) => writing.includes(localName(privilege)))) {
    throw new CalendarError('refused', 'calendar_read_only', 'The credentials are read-only. Allow them to write.');
  }
}
