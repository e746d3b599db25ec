import type { calendarProviders } from '@mostrador/contracts';

export type ProviderName = (typeof calendarProviders)[number];

/** An appointment as a calendar shows it. */
export type CalendarEvent = {
  /** Stays the same through every change: `<appointment id>@mostrador`. */
  readonly uid: string;
  /** Raised on every change (iCalendar SEQUENCE). */
  readonly sequence: number;
  readonly title: string;
  readonly notes: string | null;
  readonly startsAt: Date;
  readonly durationMinutes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Where an event lies in the calendar. `eventId` is its UID. */
export type EventReference = { readonly eventId: string; readonly href: string; readonly etag: string | null };

/**
 * A calendar that appointments are brought to. Every method is one attempt, ends when the signal is aborted, and
 * throws nothing but a `CalendarError`.
 */
export type CalendarProvider = {
  /** Finds out whether the calendar can really be used with what was given. */
  verify(signal: AbortSignal): Promise<void>;
  /** Creates the event, or replaces it; the same event twice is one event. */
  put(event: CalendarEvent, known: EventReference | null, signal: AbortSignal): Promise<EventReference>;
  /** Takes the event away; one that is gone already is a success. */
  remove(known: { eventId: string; href: string | null; etag: string | null }, signal: AbortSignal): Promise<void>;
};

/** What about a connection is no secret; which members there are depends on its provider. */
export type ConnectionSettings = {
  readonly url?: string;
  readonly username?: string;
  readonly calendar_id?: string;
  readonly api_url?: string;
  readonly token_url?: string;
};

export type Credentials = {
  readonly password?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly refresh_token?: string;
};

/** A connection as an adapter needs it. */
export type OpenConnection = {
  readonly provider: ProviderName;
  readonly settings: ConnectionSettings;
  readonly credentials: Credentials;
};

/** Opens the adapter of a connection. */
export type OpenProvider = (connection: OpenConnection) => CalendarProvider;

/**
 * `unavailable`: try again later. `throttled`: the same, no earlier than `retryAfterSeconds`. `refused`: the
 * credentials or the permission, so a person must reconnect. `rejected`: this event will never be taken.
 */
export type CalendarErrorKind = 'unavailable' | 'throttled' | 'refused' | 'rejected';

/** Why a calendar did not do what it was asked. `detail` is shown to operators: nothing personal, no credentials. */
export class CalendarError extends Error {
  readonly kind: CalendarErrorKind;
  readonly code: string;
  readonly detail: string;
  readonly retryAfterSeconds?: number;

  constructor(
    kind: CalendarErrorKind,
    code: string,
    detail: string,
    options: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(`${code}: ${detail}`, { cause: options.cause });
    this.name = 'CalendarError';
    this.kind = kind;
    this.code = code;
    this.detail = detail;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The code of a failure that no adapter foresaw. */
export const unforeseen = 'calendar_failed';

/** Any failure of a call as a `CalendarError`. A failure that no adapter foresaw is retried like an outage. */
export function toCalendarError(error: unknown): CalendarError {
  if (error instanceof CalendarError) return error;
  return new CalendarError('unavailable', unforeseen, 'The calendar could not be asked.', { cause: error });
}
