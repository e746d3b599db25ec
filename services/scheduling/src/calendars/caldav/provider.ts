import type { Egress } from '@mostrador/kit/clients/egress';
import { calendarQuery, createObject, type DAVResponse, deleteObject, propfind } from 'tsdav';
import { appointmentOf } from '../calendar-event.ts';
import { CalendarError, type CalendarEvent, type CalendarProvider, type EventReference } from '../calendar-provider.ts';
import { isUpToDate } from '../event-mark.ts';
import { type EventIdentity, readIdentity, renderEvent } from '../icalendar.ts';
import { authorizationOf, collectionUrl, createCaldavFetch } from './http.ts';
import { eventPrecondition, refusalOf } from './refusal.ts';

/** Limit of one provider call with all of its requests. Shorter than the RPC, the lease and the activity around it. */
const callTimeoutMs = 10_000;

/** The most rounds of write and read in one `put`. When the event still changes, the attempt ends as `unavailable`. */
const maxRounds = 4;

type Settings = { url?: string; username?: string; password?: string; timeoutMs?: number; egress: Egress };
type Found = { href: string; etag: string | null; identity: EventIdentity | null };
type Precondition = { 'If-None-Match': '*' } | { 'If-Match': string } | Record<never, never>;

/** A calendar collection on a CalDAV server (RFC 4791). */
export function createCaldavProvider(settings: Settings): CalendarProvider {
  const call = async <T>(signal: AbortSignal, work: (calendar: Collection) => Promise<T>): Promise<T> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(settings.timeoutMs ?? callTimeoutMs)]);
    try {
      return await work(openCollection(settings, limit));
    } catch (error) {
      if (error instanceof CalendarError) throw error;
      throw new CalendarError('unavailable', 'calendar_answer_unreadable', "The calendar's response cannot be read.", {
        cause: error,
      });
    }
  };
  return {
    verify: (signal) => call(signal, verify),
    put: (event, known, signal) => call(signal, (calendar) => put(calendar, event, known)),
    remove: (known, signal) =>
      call(signal, (calendar) => calendar.remove(known.href ?? calendar.hrefOf(known.eventId))),
    list: (storeId, after, signal) => call(signal, (calendar) => calendar.uidsOf(storeId, after)),
  };
}

type Collection = ReturnType<typeof openCollection>;

/** The requests to a collection. */
function openCollection(settings: Settings, signal: AbortSignal) {
  const { egress } = settings;
  const base = collectionUrl(settings.url);
  const authorization = authorizationOf(settings.username, settings.password);
  const fetchExpecting = (...expected: number[]) => createCaldavFetch({ egress, authorization, signal, expected });

  return {
    /** `<appointment id>.ics` for the UID `<appointment id>@mostrador`. */
    hrefOf: (uid: string): string => new URL(`${encodeURIComponent(appointmentOf(uid))}.ics`, base).href,

    contains: (href: string): boolean => href.startsWith(base.href),

    async describe(): Promise<DAVResponse | undefined> {
      const props = { resourcetype: {}, 'c:supported-calendar-component-set': {}, 'current-user-privilege-set': {} };
      const answers = await propfind({ url: base.href, depth: '0', props, fetch: fetchExpecting() });
      return answers[0];
    },

    /** Null when the precondition failed: another event is there, or none where `If-Match` expects one. */
    async put(href: string, icalendar: string, precondition: Precondition): Promise<{ etag: string | null } | null> {
      // With `If-Match`, 404 means that the event is gone. Without it, 404 means that the collection does not exist.
      const missing = 'If-Match' in precondition ? [404, 410] : [];
      const headers = { 'Content-Type': 'text/calendar; charset=utf-8', ...precondition };
      const fetch = fetchExpecting(403, 409, 412, ...missing);
      const response = await createObject({ url: href, data: icalendar, headers, fetch });
      if (response.ok) return { etag: strongEtag(response) };
      const body = await response.text();
      const conflict = response.status !== 403 || body.includes('no-uid-conflict');
      if (!conflict || eventPrecondition(body)) throw refusalOf(response.status, response.headers, body);
      return null;
    },

    async get(href: string): Promise<Found | null> {
      const response = await fetchExpecting(404, 410)(href);
      if (!response.ok) return null;
      return { href, etag: strongEtag(response), identity: readIdentity(await response.text()) };
    },

    /** Addresses of events with this UID. Another program or an import may have put them anywhere in the collection. */
    async hrefsWithUid(uid: string): Promise<string[]> {
      const uidFilter = { _attributes: { name: 'UID' }, 'text-match': { _text: uid } };
      const eventFilter = { _attributes: { name: 'VEVENT' }, 'prop-filter': uidFilter };
      const answers = await calendarQuery({
        url: base.href,
        depth: '1',
        props: { 'd:getetag': {} },
        filters: { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': eventFilter } },
        fetch: fetchExpecting(),
      });
      const hrefs = answers.flatMap((answer) => (answer.href ? [new URL(String(answer.href), base).href] : []));
      return hrefs.filter((href) => href.startsWith(base.href)).slice(0, maxRounds);
    },

    /** The UIDs of the store's events after this moment. Only the events themselves say whose they are. */
    async uidsOf(storeId: string, after: Date): Promise<string[]> {
      const start = `${after.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
      const eventFilter = { _attributes: { name: 'VEVENT' }, 'time-range': { _attributes: { start } } };
      const answers = await calendarQuery({
        url: base.href,
        depth: '1',
        props: { 'c:calendar-data': {} },
        filters: { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': eventFilter } },
        fetch: fetchExpecting(),
      });
      return answers.flatMap(({ props }) => {
        const identity = readIdentity(String(props?.calendarData?._cdata ?? props?.calendarData));
        return identity?.storeId === storeId ? [identity.uid] : [];
      });
    },

    /** Succeeds when the event is already gone. Sends no `If-Match`, so that an edit by a person does not stop it. */
    async remove(href: string): Promise<void> {
      await deleteObject({ url: href, fetch: fetchExpecting(404, 410) });
    },
  };
}

/** `If-Match` compares strongly (RFC 9110 13.1.1), so a weak ETag counts as none. */
function strongEtag(response: Response): string | null {
  const etag = response.headers.get('etag');
  return etag?.startsWith('"') ? etag : null;
}

/**
 * Creates the event or replaces it. Succeeds without a write when the calendar has this content or a newer version: the
 * response to an earlier attempt was lost, or this attempt is late.
 */
async function put(calendar: Collection, event: CalendarEvent, known: EventReference | null): Promise<EventReference> {
  let icalendar = renderEvent(event);
  const earlier = known && calendar.contains(known.href) ? known : null;
  let href = earlier?.href ?? calendar.hrefOf(event.uid);
  // Without an ETag to compare, read the event before overwriting it.
  let precondition: Precondition | null = earlier
    ? earlier.etag
      ? { 'If-Match': earlier.etag }
      : null
    : { 'If-None-Match': '*' };
  for (let round = 0; round < maxRounds; round++) {
    if (precondition) {
      const taken = await calendar.put(href, icalendar, precondition);
      if (taken) return { eventId: event.uid, href, etag: taken.etag };
    }
    const refusedAsNew = precondition !== null && 'If-None-Match' in precondition;
    const found = (await calendar.get(href)) ?? (refusedAsNew ? await findElsewhere(calendar, event.uid) : null);
    if (!found) {
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
  if (answer && answer.status >= 400) throw refusalOf(answer.status, new Headers(), '');
  const props = answer?.props ?? {};
  if (!members(props.resourcetype).includes('calendar')) {
    const detail = 'There is no calendar at this address. Connect with the address of one calendar, not of an account.';
    throw new CalendarError('refused', 'calendar_not_a_calendar', detail);
  }
  const components = list(props.supportedCalendarComponentSet?.comp).map((comp) => comp?._attributes?.name);
  if (components.length > 0 && !components.includes('VEVENT')) {
    throw new CalendarError('refused', 'calendar_takes_no_events', 'The calendar cannot hold events. Use another.');
  }
  const privileges = list(props.currentUserPrivilegeSet?.privilege).flatMap(members);
  const writing = ['all', 'write', 'bind'];
  if (privileges.length > 0 && !privileges.some((privilege) => writing.includes(privilege))) {
    throw new CalendarError('refused', 'calendar_read_only', 'The credentials are read-only. Allow them to write.');
  }
}

const list = <T>(value: T | T[] | undefined | null): T[] =>
  Array.isArray(value) ? value : value == null ? [] : [value];

/** Names of an element's children. tsdav writes them in camel case without prefixes. */
const members = (element: unknown): string[] => (element && typeof element === 'object' ? Object.keys(element) : []);
