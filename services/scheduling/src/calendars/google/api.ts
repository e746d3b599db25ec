import type { calendar_v3 } from '@googleapis/calendar';
import { CalendarError } from '../calendar-provider.ts';
import type { FoundEvent, GoogleEvent } from './event.ts';
import { fromGoogleError, googleFetch, unreadable } from './http.ts';
import { refusalOfApi } from './refusal.ts';
import type { AccessTokens, GoogleAccount } from './tokens.ts';

export type GoogleSettings = GoogleAccount & {
  readonly calendarId: string;
  /** Google's own unless given. */
  readonly apiUrl: string | undefined;
};

export type GoogleCalendar = ReturnType<typeof openGoogleCalendar>;

/** The requests that a calendar answers, each named for what it finds out or does. They end with the signal. */
export function openGoogleCalendar(settings: GoogleSettings, tokens: AccessTokens, signal: AbortSignal) {
  const { calendarId } = settings;

  const apiWith = async (accessToken: string): Promise<calendar_v3.Calendar> => {
    // Loaded with the first request: a process without such connections does not pay for it.
    const { auth, calendar } = await import('@googleapis/calendar');
    const client = new auth.OAuth2({ useAuthRequestParameters: false });
    // With nothing to refresh it by, it does nothing behind our back about a 401 or a 403.
    client.setCredentials({ access_token: accessToken });
    const { apiUrl: rootUrl } = settings;
    const options = { auth: client, retry: false, fetchImplementation: googleFetch };
    return calendar({ version: 'v3', ...options, ...(rootUrl === undefined ? {} : { rootUrl }) });
  };

  /** One request, or two where the first shows that the access token is not good any more. */
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

  /** Null when the answer is one of these statuses. */
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
    /** What the account may do in this calendar: `owner`, `writer`, `reader`, … */
    async accessRole(): Promise<string> {
      // Also with permission for events alone, which calendars.get and calendarList.get refuse.
      const answer = await askUnless([], (api) =>
        api.events.list({ calendarId, maxResults: 1, fields: 'accessRole' }, { signal }),
      );
      if (typeof answer?.accessRole !== 'string') throw unreadable();
      return answer.accessRole;
    },

    /** What the account has permitted us, as far as the answers so far tell; null when they do not. */
    scopes: () => tokens.scopes(settings),

    /** Null when the id is taken, be it by an event that was deleted. */
    async insert(id: string, event: GoogleEvent): Promise<FoundEvent | null> {
      const requestBody = { ...event, id };
      const created = await askUnless([409], (api) => api.events.insert({ calendarId, requestBody }, { signal }));
      return created && found(created);
    },

    /** Null when there never was such an event, or it was forgotten. A deleted one is found as cancelled. */
    async get(eventId: string): Promise<FoundEvent | null> {
      const answer = await askUnless([404, 410], (api) => api.events.get({ calendarId, eventId }, { signal }));
      return answer && found(answer);
    },

    /** Null when the event has changed or gone since it was read. */
    async update(eventId: string, event: GoogleEvent, etag: string): Promise<FoundEvent | null> {
      const answer = await askUnless([404, 410, 412], (api) =>
        api.events.update(
          { calendarId, eventId, requestBody: event },
          { signal, headers: new Headers({ 'if-match': etag }) },
        ),
      );
      return answer && found(answer);
    },

    /** `false` when the event was deleted before, `null` when there is none. */
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

/** Not `code`: with the vendor's client that is sometimes the status and sometimes not. */
function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && !(error instanceof CalendarError) && 'status' in error && error.status;
  return typeof status === 'number' ? status : undefined;
}

function found(event: GoogleEvent): FoundEvent {
  if (typeof event.id !== 'string' || typeof event.etag !== 'string') throw unreadable();
  return { event, etag: event.etag, isCancelled: event.status === 'cancelled' };
}
