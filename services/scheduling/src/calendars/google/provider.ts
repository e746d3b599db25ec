import {
  CalendarError,
  type CalendarEvent,
  type CalendarProvider,
  type ConnectionSettings,
  type Credentials,
  type EventReference,
} from '../calendar-provider.ts';
import { type GoogleCalendar, type GoogleSettings, openGoogleCalendar } from './api.ts';
import { type FoundEvent, firstIdOf, isForeign, isIdOf, nextIdAfter, toGoogle, versionOf } from './event.ts';
import { fromGoogleError } from './http.ts';
import { refusalOfApi } from './refusal.ts';
import type { AccessTokens } from './tokens.ts';

/** One call of the port, with every request it makes, a refresh among them. */
const callTimeoutMs = 10_000;

/** A put asks, looks and asks again; whoever is still in the way after this many rounds is given time. */
const maxRounds = 12;

type Options = { settings: ConnectionSettings; credentials: Credentials; tokens: AccessTokens; timeoutMs?: number };

/** A calendar of a Google account (Google Calendar API v3). An event's `href` is Google's own id of it. */
export function createGoogleProvider({ settings, credentials, tokens, timeoutMs }: Options): CalendarProvider {
  const call = async <T>(signal: AbortSignal, work: (calendar: GoogleCalendar) => Promise<T>): Promise<T> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs ?? callTimeoutMs)]);
    try {
      return await work(openGoogleCalendar(settingsOf(settings, credentials), tokens, limit));
    } catch (error) {
      throw fromGoogleError(error, refusalOfApi);
    }
  };
  return {
    verify: (signal) => call(signal, verify),
    put: (event, known, signal) => call(signal, (calendar) => put(calendar, event, known)),
    remove: (known, signal) => call(signal, (calendar) => remove(calendar, known)),
  };
}

function settingsOf({ calendar_id, api_url, token_url }: ConnectionSettings, credentials: Credentials): GoogleSettings {
  const { client_id, client_secret, refresh_token } = credentials;
  if (!calendar_id || !client_id || !client_secret || !refresh_token) {
    throw new CalendarError('refused', 'calendar_settings_missing', 'The connection lacks what Google asks for.');
  }
  return {
    calendarId: calendar_id,
    apiUrl: api_url,
    tokenUrl: token_url,
    clientId: client_id,
    clientSecret: client_secret,
    refreshToken: refresh_token,
  };
}

/** Roles of developers.google.com/workspace/calendar/api/v3/reference/events/list that may not write. */
const readingRoles = ['none', 'freeBusyReader', 'reader'];

/** Scopes of developers.google.com/workspace/calendar/api/v3/reference/events/insert, each of which is enough. */
const writingScopes = ['calendar', 'calendar.events', 'calendar.events.owned', 'calendar.app.created'].map(
  (name) => `https://www.googleapis.com/auth/${name}`,
);

async function verify(calendar: GoogleCalendar): Promise<void> {
  if (readingRoles.includes(await calendar.accessRole())) {
    throw new CalendarError('refused', 'calendar_read_only', 'The account may only read this calendar.');
  }
  const scopes = await calendar.scopes();
  if (scopes && !scopes.some((scope) => writingScopes.includes(scope))) {
    const detail = 'The refresh token was given without permission to write events.';
    throw new CalendarError('refused', 'calendar_permission_denied', detail);
  }
}

/**
 * Creates the event or changes it. What is there already counts as done when it is this version or a newer one: then
 * an earlier answer was lost, or this attempt is the late one.
 *
 * A change reads the event first, as Google advises: an update replaces the whole event and must name a `sequence` that
 * is not below the event's own, which rises by itself; and what people have added to the event is not to be lost.
 */
async function put(calendar: GoogleCalendar, event: CalendarEvent, known: EventReference | null) {
  const reference = ({ event: { id }, etag }: FoundEvent): EventReference => ({
    eventId: event.uid,
    href: String(id),
    etag,
  });
  let id = known && isIdOf(known.href, event.uid) ? known.href : firstIdOf(event.uid);
  let isNew = known === null;
  for (let round = 0; round < maxRounds; round++) {
    if (isNew) {
      const created = await calendar.insert(id, toGoogle(event));
      if (created) return reference(created);
    }
    const found = await calendar.get(id);
    // A taken id under which nothing is found is as lost as a deleted event's.
    if (found?.isCancelled || (!found && isNew)) id = nextIdAfter(id);
    isNew = !found || found.isCancelled;
    if (!found || found.isCancelled) continue;
    if (isForeign(found, event.uid)) {
      const detail = 'Something else is in the calendar under the id of the event.';
      throw new CalendarError('rejected', 'calendar_event_conflict', detail);
    }
    if ((versionOf(found) ?? -1) >= event.sequence) return reference(found);
    const changed = await change(calendar, found, event);
    if (changed) return reference(changed);
  }
  throw new CalendarError('unavailable', 'calendar_conflict', 'The event keeps changing in the calendar.');
}

/** Null when the event has to be looked at again. */
async function change(calendar: GoogleCalendar, found: FoundEvent, event: CalendarEvent): Promise<FoundEvent | null> {
  const id = String(found.event.id);
  try {
    return await calendar.update(id, toGoogle(event, found.event), found.etag);
  } catch (error) {
    // An event that was deleted in between answers 403, like a calendar that may not be written.
    const isForbidden = error instanceof CalendarError && error.kind === 'refused';
    if (isForbidden && (await calendar.get(id))?.isCancelled) return null;
    throw error;
  }
}

/**
 * Gone already is as good as removed. What follows a deleted event is removed too: an attempt may have made it and not
 * lived to record it.
 */
async function remove(calendar: GoogleCalendar, known: { eventId: string; href: string | null }): Promise<void> {
  let id = known.href !== null && isIdOf(known.href, known.eventId) ? known.href : firstIdOf(known.eventId);
  for (let round = 0; round < maxRounds; round++) {
    if ((await calendar.remove(id)) !== false) return;
    id = nextIdAfter(id);
  }
}
