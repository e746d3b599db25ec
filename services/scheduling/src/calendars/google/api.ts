import { CalendarError } from '../calendar-provider.ts';
import type { FoundEvent, GoogleEvent } from './event.ts';
import { askGoogle, type GoogleAnswer, unreadable } from './http.ts';
import type { CountRequest } from './quota.ts';
import { isLimit, refusalOfApi } from './refusal.ts';
import type { AccessTokens, GoogleAccount } from './tokens.ts';

const googleUrl = 'https://www.googleapis.com';

/** An event in a list of changes. Of a deleted one Google names no more than its id. */
export type ChangedEvent = Pick<GoogleEvent, 'status' | 'recurringEventId' | 'recurrence'> & {
  readonly id: string;
  readonly etag: string;
};
// What is asked of lists and of events that are only read: an answer may be 256 KiB, or as large as its call says.
const timeFields = 'id,status,recurringEventId,start,end,transparency,attendees(self,responseStatus)';
const eventFields = `etag,iCalUID,recurrence,extendedProperties/private,${timeFields}`;
const markedFields = 'items(id,summary,start,extendedProperties/private),nextPageToken';
const exceptionFields = `items(originalStartTime,${timeFields}),nextPageToken`;
const changeFields = 'items(id,etag,status,recurringEventId,recurrence),nextPageToken,nextSyncToken';
/** Of a page of 250 events, of which `maxAttendees` leaves the account's own answers. */
const mostPageBytes = 1024 * 1024;
const pageQuery = { maxResults: '250', maxAttendees: '1', prettyPrint: 'false' };
/** Of 2,500 changes. */
const mostChangeBytes = 2 * 1024 * 1024;

/** Google takes a token of its own list no more. */
export const refusedToken = (): CalendarError =>
  new CalendarError('unavailable', 'calendar_list_expired', 'The list of the calendar expired while it was read.');

export type GoogleSettings = GoogleAccount & {
  readonly calendarId: string;
  /** Undefined: the address of Google. */
  readonly apiUrl: string | undefined;
  readonly countRequest: CountRequest;
};

export type GoogleCalendar = ReturnType<typeof openGoogleCalendar>;

/** …/calendar/api/guides/push#make-watch-requests */
type ChannelRequest = {
  readonly id: string;
  readonly type: 'web_hook';
  readonly address: string;
  readonly token: string;
  readonly params: { readonly ttl: string };
};

type Call = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  readonly event?: GoogleEvent;
  readonly channel?: ChannelRequest;
  readonly etag?: string;
  /** Failures that `ask` returns. */
  readonly expected?: readonly number[];
  /** Of the answer. Default: 256 KiB. */
  readonly mostBytes?: number;
};

/** The requests to a calendar (Google Calendar API v3). They end when the signal is aborted. */
export function openGoogleCalendar(settings: GoogleSettings, tokens: AccessTokens, signal: AbortSignal) {
  const { calendarId, apiUrl = googleUrl, egress, countRequest } = settings;
  const events = `${apiUrl.replace(/\/+$/, '')}/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events`;

  const send = (token: string, path: string, call: Call) => {
    const { method = 'GET', query, event, channel, etag, mostBytes } = call;
    const body = event ?? channel;
    return askGoogle(egress, `${events}${path}${query ? `?${new URLSearchParams(query)}` : ''}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': 'Mostrador',
        ...(body && { 'content-type': 'application/json' }),
        ...(etag && { 'if-match': etag }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal,
      mostBytes,
    });
  };

  const attempt = async (token: string, path: string, call: Call): Promise<GoogleAnswer> => {
    const answer = await send(token, path, call).catch((error) => {
      countRequest(settings, 'failed');
      throw error;
    });
    countRequest(settings, isLimit(answer.status, answer.body) ? 'limited' : 'answered');
    return answer;
  };

  /** Sends the request. After a 401 it sends it once more with a new access token. */
  const ask = async (path: string, call: Call): Promise<GoogleAnswer> => {
    const token = await tokens.current(settings, signal);
    let answer = await attempt(token, path, call);
    if (answer.status === 401) {
      answer = await attempt(await tokens.inPlaceOf(token, settings, signal), path, call);
    }
    const { status, headers, body } = answer;
    if ((status >= 200 && status < 300) || call.expected?.includes(status)) return answer;
    throw refusalOfApi(status, headers, body);
  };
  const all = async (query: Record<string, string>): Promise<GoogleEvent[]> => {
    const found: GoogleEvent[] = [];
    for (let pageToken: unknown = ''; typeof pageToken === 'string'; ) {
      const page = { ...query, ...pageQuery, ...(pageToken && { pageToken }) };
      const { body } = await ask('', { query: page, mostBytes: mostPageBytes });
      if (Array.isArray(body.items)) found.push(...body.items);
      pageToken = body.nextPageToken;
    }
    return found;
  };
  const pathOf = (eventId: string) => `/${encodeURIComponent(eventId)}`;

  return {
    /** The role of the account in this calendar: `owner`, `writer`, `reader`, … */
    async accessRole(): Promise<string> {
      // Works with permission for events only. calendars.get and calendarList.get need more.
      const { accessRole } = (await ask('', { query: { maxResults: '1', fields: 'accessRole' } })).body;
      if (typeof accessRole !== 'string') throw unreadable();
      return accessRole;
    },

    /** The scopes that the account has granted; null when Google has not named them. */
    scopes: () => tokens.scopes(settings),

    /** Null when the id is taken. A deleted event keeps its id. */
    insert: async (id: string, event: GoogleEvent) =>
      foundIn(await ask('', { method: 'POST', event: { ...event, id }, expected: [409] })),

    /** Null when there is no such event. A deleted event is returned as cancelled. */
    get: async (eventId: string) => foundIn(await ask(pathOf(eventId), { expected: [404, 410] })),

    /** The same without what only people read. */
    times: async (eventId: string) =>
      foundIn(await ask(pathOf(eventId), { query: { fields: eventFields }, expected: [404, 410] })),

    /** The events that end after this moment and whose mark names the store. */
    listOf: (storeId: string, after: Date) =>
      all({
        privateExtendedProperty: `mostrador_store=${storeId}`,
        timeMin: after.toISOString(),
        fields: markedFields,
      }),

    /** The events whose mark names the appointment. */
    listMarked: (appointmentId: string) =>
      all({ privateExtendedProperty: `mostrador_appointment=${appointmentId}`, fields: markedFields }),

    /** The occurrences of a series that differ from it, also those that are cancelled. */
    exceptionsOf: async ({ id, iCalUID }: GoogleEvent) =>
      (await all({ iCalUID: String(iCalUID), showDeleted: 'true', fields: exceptionFields })).filter(
        (each) => each.recurringEventId === id,
      ),

    /** What has changed since the token was issued, or all that ends after a moment. Null: the token has expired. */
    async changes(
      start: { readonly syncToken: string } | { readonly timeMin: string },
    ): Promise<{ readonly events: ChangedEvent[]; readonly syncToken: string } | null> {
      const events: ChangedEvent[] = [];
      const query = { ...start, maxResults: '2500', fields: changeFields, prettyPrint: 'false' };
      const expected = 'syncToken' in start ? [400, 410] : [410];
      for (let page = {}; ; ) {
        const { status, body } = await ask('', { query: { ...query, ...page }, expected, mostBytes: mostChangeBytes });
        if (status >= 400) return null;
        if (Array.isArray(body.items)) events.push(...body.items);
        if (typeof body.nextPageToken === 'string') {
          page = { pageToken: body.nextPageToken };
          continue;
        }
        if (typeof body.nextSyncToken !== 'string') throw unreadable();
        return { events, syncToken: body.nextSyncToken };
      }
    },

    /** Opens a channel for the changes of events. Returns when it ends, which Google decides. */
    async watch(channel: ChannelRequest): Promise<Date> {
      const { expiration } = (await ask('/watch', { method: 'POST', channel })).body;
      const expiresAt = new Date(Number(expiration));
      if (Number.isNaN(expiresAt.getTime())) throw unreadable();
      return expiresAt;
    },

    /** Null when the event has changed or is gone since it was read. */
    update: async (eventId: string, event: GoogleEvent, etag: string) =>
      foundIn(await ask(pathOf(eventId), { method: 'PUT', event, etag, expected: [404, 410, 412] })),

    /** `false` when the event was already deleted, `null` when there is no such event. */
    async remove(eventId: string): Promise<boolean | null> {
      const { status } = await ask(pathOf(eventId), { method: 'DELETE', expected: [404, 410] });
      return status === 404 ? null : status !== 410;
    },
  };
}

function foundIn({ status, body }: GoogleAnswer): FoundEvent | null {
  if (status >= 400) return null;
  const { id, etag, status: state } = body;
  if (typeof id !== 'string' || typeof etag !== 'string') throw unreadable();
  return { event: body, etag, isCancelled: state === 'cancelled' };
}
