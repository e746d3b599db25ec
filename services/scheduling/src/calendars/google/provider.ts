import { randomUUID } from 'node:crypto';
import type { Egress } from '@mostrador/kit/clients/egress';
import { appointmentOf } from '../calendar-event.ts';
import { movedTimeIn } from '../calendar-object.ts';
import {
  CalendarError,
  type CalendarEvent,
  type CalendarProvider,
  type ConnectionSettings,
  type Credentials,
  type EventReference,
  type WrittenEvent,
} from '../calendar-provider.ts';
import { isKept, isShownBy, isUpToDate, type MovedTime } from '../event-mark.ts';
import { type GoogleCalendar, type GoogleSettings, openGoogleCalendar } from './api.ts';
import { type FoundEvent, firstIdOf, isForeign, isIdOf, listedIn, markOf, nextIdAfter, toGoogle } from './event.ts';
import { unreadable } from './http.ts';
import { toICalendar } from './icalendar.ts';
import type { CountRequest } from './quota.ts';
import { readChanges, readObjects } from './reader.ts';
import type { AccessTokens } from './tokens.ts';

/** Limit of one provider call with all of its requests, including a token refresh. */
const callTimeoutMs = 10_000;

/** The most rounds of write and read in one `put`. When the event still changes, the attempt ends as `unavailable`. */
const maxRounds = 12;

type Options = {
  settings: ConnectionSettings;
  credentials: Credentials;
  tokens: AccessTokens;
  egress: Egress;
  /** Default: nothing is counted. */
  countRequest?: CountRequest | undefined;
  timeoutMs?: number;
};

/** A calendar of a Google account (Google Calendar API v3). The `href` of an event is its Google id. */
export function createGoogleProvider(options: Options): CalendarProvider {
  const { tokens, timeoutMs } = options;
  const call = async <T>(signal: AbortSignal, work: (calendar: GoogleCalendar) => Promise<T>): Promise<T> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs ?? callTimeoutMs)]);
    try {
      return await work(openGoogleCalendar(settingsOf(options), tokens, limit));
    } catch (error) {
      // Only the answer of Google can lead to another error.
      throw error instanceof CalendarError ? error : unreadable();
    }
  };
  return {
    verify: (signal) => call(signal, verify),
    put: (event, known, signal) => call(signal, (calendar) => put(calendar, event, known)),
    remove: (known, signal) => call(signal, (calendar) => remove(calendar, known)),
    reader: {
      changes: (cursor, since, signal) => call(signal, (calendar) => readChanges(calendar, cursor, since)),
      read: (hrefs, until, signal) => call(signal, (calendar) => readObjects(calendar, hrefs, until)),
      // A copy keeps the mark, and has an id of its own.
      hasUid: (uid, signal) =>
        call(signal, async (calendar) =>
          (await calendar.listMarked(appointmentOf(uid))).some(({ id }) => id !== undefined && isIdOf(id, uid)),
        ),
      openChannel: ({ address, token, seconds }, signal) =>
        call(signal, (calendar) =>
          calendar.watch({
            ...{ id: randomUUID(), type: 'web_hook', address, token },
            params: { ttl: String(seconds) },
          }),
        ),
    },
    list: (storeId, after, signal) =>
      call(signal, async (calendar) => (await calendar.listOf(storeId, after)).flatMap(listedIn)),
  };
}

function settingsOf({ settings, credentials, egress, countRequest = () => {} }: Options): GoogleSettings {
  const { calendar_id, api_url, token_url } = settings;
  const { client_id, client_secret, refresh_token } = credentials;
  if (!calendar_id || !client_id || !client_secret || !refresh_token) {
    throw new CalendarError('refused', 'calendar_settings_missing', 'A Google setting is missing. Connect again.');
  }
  return {
    calendarId: calendar_id,
    apiUrl: api_url,
    tokenUrl: token_url,
    clientId: client_id,
    clientSecret: client_secret,
    refreshToken: refresh_token,
    egress,
    countRequest,
  };
}

/** Roles without write access: developers.google.com/workspace/calendar/api/v3/reference/events/list */
const readingRoles = ['none', 'freeBusyReader', 'reader'];

/** Any of these scopes allows writing: developers.google.com/workspace/calendar/api/v3/reference/events/insert */
const writingScopes = ['calendar', 'calendar.events', 'calendar.events.owned', 'calendar.app.created'].map(
  (name) => `https://www.googleapis.com/auth/${name}`,
);

async function verify(calendar: GoogleCalendar): Promise<void> {
  if (readingRoles.includes(await calendar.accessRole())) {
    throw new CalendarError('refused', 'calendar_read_only', 'The account can only read. Give it write access.');
  }
  const scopes = calendar.scopes();
  if (scopes && !scopes.some((scope) => writingScopes.includes(scope))) {
    const detail = 'The refresh token was issued without permission to write events. Create one with it.';
    throw new CalendarError('refused', 'calendar_permission_denied', detail);
  }
}

/**
 * Creates the event or changes it. Succeeds without a write when the calendar has this content or a newer version: the
 * response to an earlier attempt was lost, or this attempt is late.
 *
 * A change reads the event first, as Google advises. An update replaces the whole event, so it must repeat what people
 * have added. Its `sequence` must not be below that of the event, which Google raises by itself.
 */
async function put(
  calendar: GoogleCalendar,
  event: CalendarEvent,
  known: EventReference | null,
): Promise<WrittenEvent> {
  const reference = ({ event: { id }, etag }: FoundEvent): EventReference => ({
    eventId: event.uid,
    href: String(id),
    etag,
  });
  let id = known && isIdOf(known.href, event.uid) ? known.href : firstIdOf(event.uid);
  let isNew = known === null;
  let isDeleted = false;
  for (let round = 0; round < maxRounds; round++) {
    if (isNew) {
      const created = await calendar.insert(id, toGoogle(event));
      if (created) return { ...reference(created), ...(isDeleted && { isDeleted: true }) };
    }
    const found = await calendar.get(id);
    if (id === known?.href && !isNew && (!found || found.isCancelled)) {
      if (event.staysDeleted) return { ...known, etag: null, isDeleted: true };
      isDeleted = true;
    }
    // An id that is taken but cannot be read is as unusable as that of a deleted event.
    if (found?.isCancelled || (!found && isNew)) id = nextIdAfter(id);
    isNew = !found || found.isCancelled;
    if (!found || found.isCancelled) continue;
    if (isForeign(found, event.uid)) {
      const detail = "Another object has the event's id in the calendar. Delete it, then change the appointment.";
      throw new CalendarError('rejected', 'calendar_event_conflict', detail);
    }
    if (isUpToDate(markOf(found), event)) return reference(found);
    const moved = movedTimeOf(found);
    const other = isShownBy(event, moved) ? null : moved;
    if (other && isKept(event, other)) return { ...reference(found), etag: null };
    const changed = await change(calendar, found, event);
    if (changed) return { ...reference(changed), ...(other && { replaced: other }) };
  }
  throw new CalendarError('unavailable', 'calendar_conflict', 'The event keeps changing in the calendar.');
}

/** Google tells parts of a second, which iCalendar has not. */
function movedTimeOf({ event }: FoundEvent): MovedTime | null {
  const moved = movedTimeIn(toICalendar(event));
  const changedAt = Date.parse(event.updated ?? '');
  return moved && { ...moved, changedAt: Number.isNaN(changedAt) ? null : changedAt };
}

/** Null when the event must be read again. */
async function change(calendar: GoogleCalendar, found: FoundEvent, event: CalendarEvent): Promise<FoundEvent | null> {
  const id = String(found.event.id);
  try {
    return await calendar.update(id, toGoogle(event, found.event), found.etag);
  } catch (error) {
    // For an event deleted since the read Google responds with 403, as for a read-only calendar.
    const isForbidden = error instanceof CalendarError && error.kind === 'refused';
    if (isForbidden && (await calendar.get(id))?.isCancelled) return null;
    throw error;
  }
}

/** Succeeds when the event is already gone. Also removes a replacement that an attempt created and did not record. */
async function remove(calendar: GoogleCalendar, known: { eventId: string; href: string | null }): Promise<void> {
  let id = known.href !== null && isIdOf(known.href, known.eventId) ? known.href : firstIdOf(known.eventId);
  for (let round = 0; round < maxRounds; round++) {
    if ((await calendar.remove(id)) !== false) return;
    id = nextIdAfter(id);
  }
}
