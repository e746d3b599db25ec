import type { calendarProviders } from '@mostrador/contracts';

export type ProviderName = (typeof calendarProviders)[number];

/** The calendar event of an appointment. */
export type CalendarEvent = {
  /** Never changes: `<appointment id>@mostrador`. */
  readonly uid: string;
  readonly storeId: string;
  /** Increases with every change (iCalendar SEQUENCE). */
  readonly sequence: number;
  /** `sequence` can only be compared within one epoch: a restored database counts some versions again. */
  readonly epoch: number;
  readonly title: string;
  readonly notes: string | null;
  readonly startsAt: Date;
  readonly durationMinutes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When the time or the length last changed. */
  readonly timeChangedAt: Date;
  /** The event is written although its mark says that it is current, because a person's change of it was refused. */
  readonly replacesEdit?: boolean;
  /** A known event that a person deleted is not created again: it still had the present time. */
  readonly staysDeleted?: boolean;
};

/** Where an event is in the calendar. `eventId` is its UID. */
export type EventReference = { readonly eventId: string; readonly href: string; readonly etag: string | null };

/** When an event is, in epoch ms. Null: it has no time of the day. */
export type EventTime = { readonly start: number | null; readonly durationMinutes: number };

/**
 * The event in the calendar. `replaced`: another time that a person had given it, and that is lost now. One whose time was
 * kept has no ETag, so that it is read before it is written. `isDeleted`: the known event was gone. It was created again,
 * unless it stays deleted.
 */
export type WrittenEvent = EventReference & {
  readonly replaced?: EventTime;
  readonly isDeleted?: true;
};

/**
 * A calendar that gets the events of appointments. Every method is one attempt, ends when the signal is aborted, and
 * throws only `CalendarError`.
 */
export type CalendarProvider = {
  /** Checks that the calendar can be used with these settings and credentials. */
  verify(signal: AbortSignal): Promise<void>;
  /** Creates the event or replaces it, unless a person gave it a time that is kept. Idempotent. */
  put(event: CalendarEvent, known: EventReference | null, signal: AbortSignal): Promise<WrittenEvent>;
  /** Removes the event. Succeeds when the event is already gone. */
  remove(known: { eventId: string; href: string | null; etag: string | null }, signal: AbortSignal): Promise<void>;
  /** The events after this moment whose mark names the store. */
  list(storeId: string, after: Date, signal: AbortSignal): Promise<ListedEvent[]>;
  /** How the calendar is read. Without it, what people change in the calendar is not seen. */
  readonly reader?: CalendarReader;
};

/** Reads a calendar: first which objects have changed, then the objects. The same rules as for `CalendarProvider`. */
export type CalendarReader = {
  /** What has changed since the cursor. `since`: what was over by then may be left out. */
  changes(cursor: string | null, since: Date, signal: AbortSignal): Promise<CalendarChanges>;
  /** The objects at these addresses. No further request begins after `until`, in epoch ms. */
  read(hrefs: readonly string[], until: number, signal: AbortSignal): Promise<ReadObjects>;
  /** Whether an event with this UID is anywhere in the calendar. */
  hasUid(uid: string, signal: AbortSignal): Promise<boolean>;
  /** Asks the calendar to tell an address of its changes. Returns until when it does. Without it, it is only polled. */
  openChannel?(channel: NewChannel, signal: AbortSignal): Promise<Date>;
};

export type NewChannel = {
  readonly address: string;
  /** The secret that comes with each notice. */
  readonly token: string;
  readonly seconds: number;
};

export type CalendarChanges = {
  /** What to ask with the next time. Null: the calendar has nothing of the kind, and all is listed again. */
  readonly cursor: string | null;
  /** All objects of the calendar are in `listed`: any other is gone, or over. */
  readonly isFull: boolean;
  /** New and changed objects, or all. */
  readonly listed: readonly { readonly href: string; readonly etag: string | null }[];
  readonly removed: readonly string[];
  /** The calendar has sent a part. The next one follows the cursor. */
  readonly isPart: boolean;
};

/** `icalendar` is null when nothing is at the address, and empty when the object is too large to be read. */
export type ReadObject = { readonly href: string; readonly etag: string | null; readonly icalendar: string | null };

export type ReadObjects = {
  /** One that the calendar says nothing about is left out. */
  readonly objects: readonly ReadObject[];
  /** Those that were not asked for, because the time was over or a call failed. The first is always asked for. */
  readonly unread: readonly string[];
};

/** An event as its calendar shows it now, with what people changed. Null: the calendar does not say it. */
export type ListedEvent = { readonly uid: string; readonly title: string | null; readonly startsAt: Date | null };

/** The settings of a connection that are not secret. The provider decides which members it has. */
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

/** Opens the adapter of a connection of a store. */
export type OpenProvider = (connection: OpenConnection & { readonly storeId: string }) => CalendarProvider;

/**
 * `unavailable`: retry later. `throttled`: retry after `retryAfterSeconds`. `refused`: credentials or permissions are
 * wrong, so a person must reconnect the calendar. `rejected`: the calendar will never accept this event.
 */
export type CalendarErrorKind = 'unavailable' | 'throttled' | 'refused' | 'rejected';

/** Why a call of a calendar failed. Operators see `detail`, so it holds no personal data and no credentials. */
export class CalendarError extends Error {
  readonly kind: CalendarErrorKind;
  readonly code: string;
  readonly detail: string;
  readonly retryAfterSeconds?: number;
  /**
   * Whether the provider itself failed: a timeout, a refused connection, a 5xx. False: it has answered. Undefined: the
   * failure does not tell, for example because no call was made.
   */
  readonly outage: boolean | undefined;

  constructor(
    kind: CalendarErrorKind,
    code: string,
    detail: string,
    options: { retryAfterSeconds?: number; outage?: boolean; cause?: unknown } = {},
  ) {
    super(`${code}: ${detail}`, { cause: options.cause });
    this.name = 'CalendarError';
    this.kind = kind;
    this.code = code;
    this.detail = detail;
    this.outage = options.outage;
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The code of an unexpected error of an adapter. */
export const unforeseen = 'calendar_failed';

/** Converts any error of a call. An unexpected error is retried like an outage. */
export function toCalendarError(error: unknown): CalendarError {
  if (error instanceof CalendarError) return error;
  return new CalendarError('unavailable', unforeseen, 'The calendar call failed unexpectedly.', { cause: error });
}
