import { retryAfterSeconds } from '@mostrador/kit/clients/http';
import { CalendarError } from '../calendar-provider.ts';

/** Preconditions (RFC 4791 5.3.2.1) that reject this event. Servers send them with 403, 409 and 412. */
const eventPreconditions = [
  'valid-calendar-data',
  'valid-calendar-object-resource',
  'supported-calendar-data',
  'supported-calendar-component',
  'max-resource-size',
  'min-date-time',
  'max-date-time',
  'max-instances',
  'quota-not-exceeded',
  'sufficient-disk-space',
];

/** The precondition of the event that an error body names, if any. */
export const eventPrecondition = (body: string): string | undefined => {
  const named = elementsOf(body);
  return eventPreconditions.find((precondition) => named.has(precondition));
};

/**
 * Whether the server has another event with this UID: in this calendar (RFC 4791 5.3.2.1), or in any of the account
 * (RFC 6638 3.2.4.1). Nextcloud before July 2026 names no precondition. It answers 400 with "Calendar object with uid
 * already exists in this calendar collection.", and with "Deleted calendar object …" for one in its trash bin.
 */
export const isUidConflict = (body: string): boolean => {
  const named = elementsOf(body);
  return (
    named.has('no-uid-conflict') ||
    named.has('unique-scheduling-object-resource') ||
    /\buid\b[^<]{0,200}\balready (?:exists|in use)\b/i.test(body)
  );
};

/** The names of the elements of an XML body, without prefixes. */
const elementsOf = (body: string): Set<string | undefined> =>
  new Set([...body.matchAll(/<(?:[\w.-]+:)?([a-z-]+)[\s/>]/g)].map((match) => match[1]));

/** The error when the calendar has an event with this UID and does not show it. */
export const hiddenEvent = (): CalendarError =>
  new CalendarError(
    'rejected',
    'calendar_event_in_trash',
    "The server has this event but does not show it: it is in the server's trash bin, or in another calendar of the " +
      'account. Restore it or delete it there for good, then change the appointment.',
  );

/** The error when the server answers something else than what was asked for. */
export const unreadable = (cause?: unknown): CalendarError =>
  new CalendarError('unavailable', 'calendar_answer_unreadable', "The calendar's response cannot be read.", { cause });

/** Maps an error response to its meaning for the connection or for the event. */
export function refusalOf(status: number, headers: Headers, body: string): CalendarError {
  const retryAfter = retryAfterSeconds(headers.get('retry-after'), Date.now());
  const later = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter };
  const precondition = eventPrecondition(body);
  if (precondition) return rejected(`${precondition}, HTTP ${status}`);
  // Nextcloud refuses to delete an event of which its trash bin has an earlier one.
  if (status === 403 && /\btrash ?bin\b/i.test(body)) return fullTrash();
  switch (status) {
    case 401:
      return new CalendarError('refused', 'calendar_credentials_refused', credentialsDetail(headers));
    case 403:
      return new CalendarError('refused', 'calendar_permission_denied', 'Access denied (HTTP 403). Check permissions.');
    case 404:
    case 405:
    case 409:
    case 410:
    case 501:
      return new CalendarError(
        'refused',
        'calendar_not_found',
        `No calendar at this address (HTTP ${status}). Check it.`,
      );
    case 429:
      return new CalendarError(
        'throttled',
        'calendar_throttled',
        'The calendar limits the request rate (HTTP 429).',
        later,
      );
    case 408:
    case 423:
    case 425:
      return unavailable(status, later);
  }
  if (status >= 400 && status < 500) return rejected(`HTTP ${status}`);
  if (status === 507) return rejected('HTTP 507');
  return unavailable(status, later);
}

const fullTrash = () =>
  new CalendarError(
    'rejected',
    'calendar_event_in_trash',
    "The calendar server's trash bin has this event already. Empty the trash bin, then delete the event by hand.",
  );

const unavailable = (status: number, later: { retryAfterSeconds?: number }) =>
  new CalendarError('unavailable', 'calendar_unavailable', `The calendar is unavailable (HTTP ${status}).`, {
    ...later,
    outage: status >= 500,
  });

const rejected = (why: string) =>
  new CalendarError('rejected', 'calendar_event_rejected', `Event rejected (${why}). Change the appointment.`);

function credentialsDetail(headers: Headers): string {
  const offered = headers.get('www-authenticate');
  return offered && !/\bbasic\b/i.test(offered)
    ? 'The calendar does not accept HTTP Basic authentication, the only one supported (HTTP 401).'
    : 'The calendar rejects the user name or the password (HTTP 401). Check both.';
}
