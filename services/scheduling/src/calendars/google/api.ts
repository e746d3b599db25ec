import type { calendar_v3 } from '@googleapis/calendar';
import { CalendarError } from '../calendar-provider.ts';
import type { FoundEvent, GoogleEvent } from './event.ts';
import { createGoogleFetch, fromGoogleError, unreadable } from './http.ts';
import { refusalOfApi } from './refusal.ts';
import type { AccessTokens, GoogleAccount } from './tokens.ts';

export type GoogleSettings = GoogleAccount & {
  readonly calendarId: string;
  /** Undefined: the address of Google. */
  readonly apiUrl: string | undefined;
};

export type GoogleCalendar = ReturnType<typeof openGoogleCalendar>;

/** The requests to a calendar. They end when the signal is aborted. */
export function openGoogleCalendar(settings: GoogleSettings, tokens: AccessTokens, signal: AbortSignal) {
  const { calendarId } = settings;

  const apiWith = async (accessToken: string): Promise<calendar_v3.Calendar> => {
    // Loaded with the first request, so that a process without Google connections does not load it.
    const { auth, calendar } = await import('@googleapis/calendar');
    const client = new auth.OAuth2({ useAuthRequestParameters: false });
    // Without a refresh token the client does not retry a 401 or a 403 by itself.
    client.setCredentials({ access_token: accessToken });
    const { apiUrl: rootUrl } = settings;
    const options = { auth: client, retry: false, fetchImplementation: createGoogleFetch(settings.egress) };
    return calendar({ version: 'v3', ...options, ...(rootUrl === undefined ? {} : { rootUrl }) });
  };

  /** Sends the request. After a 401 it sends it once more with a new access token. */
  const ask = async <T>(request: (api: calendar_v3.Calendar) => Promise<{ data: T }>): Promise<T> => {
    const attempt = async (accessToken: string): Promise<T> => (await request(await apiWith(accessToken))).data;
    const token = await tokens.current(settings, signal);
    try {
      return await attempt(token);
    } catch (error) {
      if (statusOf(error) !== 401) throw error;
      return await attempt(await tokens.inPlaceOf(token, settings, signal));
    }
  };

  /** Like `ask`, but returns null for these statuses. */
  const askUnless = async <T>(
    statuses: readonly number[],
    request: (api: calendar_v3.Calendar) => Promise<{ data: T }>,
  ): Promise<T | null> => {
    try {
      return await ask(request);
    } catch (error) {
      if (statuses.includes(statusOf(error) ?? 0)) return null;
      throw fromGoogleError(error, refusalOfApi);
    }
  };

  return {
    /** The role of the account in this calendar: `owner`, `writer`, `reader`, … */
    async accessRole(): Promise<string> {
      // Works with permission for events only. calendars.get and calendarList.get need more.
      const answer = await askUnless([], (api) =>
        api.events.list({ calendarId, maxResults: 1, fields: 'accessRole' }, { signal }),
      );
      if (typeof answer?.accessRole !== 'string') throw unreadable();
      return answer.accessRole;
    },

    /** The scopes that the account has granted; null when Google has not named them. */
    scopes: () => tokens.scopes(settings),

    /** Null when the id is taken. A deleted event keeps its id. */
    async insert(id: string, event: GoogleEvent): Promise<FoundEvent | null> {
      const requestBody = { ...event, id };
      const created = await askUnless([409], (api) => api.events.insert({ calendarId, requestBody }, { signal }));
      return created && found(created);
    },

    /** Null when there is no such event. A deleted event is returned as cancelled. */
    async get(eventId: string): Promise<FoundEvent | null> {
      const answer = await askUnless([404, 410], (api) => api.events.get({ calendarId, eventId }, { signal }));
      return answer && found(answer);
    },

    /** The events that end after this moment and whose mark names the store. */
    async listOf(storeId: string, after: Date): Promise<GoogleEvent[]> {
      const events: GoogleEvent[] = [];
      const privateExtendedProperty = [`mostrador_store=${storeId}`];
      const query = { calendarId, privateExtendedProperty, timeMin: after.toISOString(), maxResults: 2_500 };
      let pageToken: string | undefined;
      do {
        const page = await askUnless([], (api) => api.events.list({ ...query, pageToken }, { signal }));
        events.push(...(page?.items ?? []));
        pageToken = page?.nextPageToken ?? undefined;
      } while (pageToken);
      return events;
    },

    /** Null when the event has changed or is gone since it was read. */
    async update(eventId: string, event: GoogleEvent, etag: string): Promise<FoundEvent | null> {
      const answer = await askUnless([404, 410, 412], (api) =>
        api.events.update(
          { calendarId, eventId, requestBody: event },
          { signal, headers: new Headers({ 'if-match': etag }) },
        ),
      );
      return answer && found(answer);
    },

    /** `false` when the event was already deleted, `null` when there is no such event. */
    async remove(eventId: string): Promise<boolean | null> {
      try {
        await ask((api) => api.events.delete({ calendarId, eventId }, { signal }));
        return true;
      } catch (error) {
        if (statusOf(error) === 410) return false;
        if (statusOf(error) === 404) return null;
        throw fromGoogleError(error, refusalOfApi);
      }
    },
  };
}

/** The HTTP status of an error. Not from `code`, which only sometimes holds the status in Google's client. */
function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && !(error instanceof CalendarError) && 'status' in error && error.status;
  return typeof status === 'number' ? status : undefined;
}

function found(event: GoogleEvent): FoundEvent {
  if (typeof event.id !== 'string' || typeof event.etag !== 'string') throw unreadable();
  return { event, etag: event.etag, isCancelled: event.status === 'cancelled' };
}
