import type { FoundEvent, GoogleEvent } from './event.ts';
import { askGoogle, type GoogleAnswer, unreadable } from './http.ts';
import { refusalOfApi } from './refusal.ts';
import type { AccessTokens, GoogleAccount } from './tokens.ts';

const googleUrl = 'https://www.googleapis.com';

export type GoogleSettings = GoogleAccount & {
  readonly calendarId: string;
  /** Undefined: the address of Google. */
  readonly apiUrl: string | undefined;
};

export type GoogleCalendar = ReturnType<typeof openGoogleCalendar>;

type Call = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  readonly event?: GoogleEvent;
  readonly etag?: string;
  /** Failures that `ask` returns. */
  readonly expected?: readonly number[];
};

/** The requests to a calendar (Google Calendar API v3). They end when the signal is aborted. */
export function openGoogleCalendar(settings: GoogleSettings, tokens: AccessTokens, signal: AbortSignal) {
  const { calendarId, apiUrl = googleUrl, egress } = settings;
  const events = `${apiUrl.replace(/\/+$/, '')}/calendar/v3/calendars/${encodeURIComponent(calendarId)}/events`;

  const attempt = (token: string, path: string, { method = 'GET', query, event, etag }: Call) =>
    askGoogle(egress, `${events}${path}${query ? `?${new URLSearchParams(query)}` : ''}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'user-agent': 'Mostrador',
        ...(event && { 'content-type': 'application/json' }),
        ...(etag && { 'if-match': etag }),
      },
      ...(event && { body: JSON.stringify(event) }),
      signal,
    });

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
  const list = async (query: Record<string, string>) => (await ask('', { query })).body;
  const pathOf = (eventId: string) => `/${encodeURIComponent(eventId)}`;

  return {
    /** The role of the account in this calendar: `owner`, `writer`, `reader`, … */
    async accessRole(): Promise<string> {
      // Works with permission for events only. calendars.get and calendarList.get need more.
      const { accessRole } = await list({ maxResults: '1', fields: 'accessRole' });
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

    /** The events that end after this moment and whose mark names the store. */
    async listOf(storeId: string, after: Date): Promise<GoogleEvent[]> {
      const found: GoogleEvent[] = [];
      const privateExtendedProperty = `mostrador_store=${storeId}`;
      const query = { privateExtendedProperty, timeMin: after.toISOString(), maxResults: '2500' };
      for (let pageToken: unknown = ''; typeof pageToken === 'string'; ) {
        const page = await list({ ...query, ...(pageToken && { pageToken }) });
        if (Array.isArray(page.items)) found.push(...page.items);
        pageToken = page.nextPageToken;
      }
      return found;
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
