import { retryAfterSeconds } from '@mostrador/kit/clients/http';
import { CalendarError } from '../calendar-provider.ts';

/**
 * Rate limits that Google reports with 403: developers.google.com/workspace/calendar/api/guides/errors.
 * `quotaExceeded` is the limit of the calendar, `dailyLimitExceeded` that of the project.
 */
const usageLimits = ['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'dailyLimitExceeded'];

/** Rate limits of the token endpoint, which come with various statuses. */
const tokenLimits = ['rate_limit_exceeded', 'slow_down'];

/** Whether Google answers that there were too many requests. */
export const isLimit = (status: number, body: unknown): boolean =>
  status === 429 || (status === 403 && reasonsOf(body).some((reason) => usageLimits.includes(reason)));

/** Maps an error response of the Calendar API to its meaning for the connection or for the event. */
export function refusalOfApi(status: number, headers: Headers, body: unknown): CalendarError {
  const reasons = reasonsOf(body);
  const about = `HTTP ${[status, ...reasons.slice(0, 1)].join(', ')}`;
  if (isLimit(status, body)) return throttled(about, headers);
  switch (status) {
    case 401:
      return refused('calendar_credentials_refused', `Google rejects its own access token (${about}). Connect again.`);
    case 403:
      return refused('calendar_permission_denied', `The calendar denies access (${about}). Check the permissions.`);
    case 404:
    case 410:
      return refused('calendar_not_found', `The account has no calendar with this id (${about}). Check the id.`);
    case 408:
    case 409:
      return unavailable(status, about, headers);
  }
  if (status >= 400 && status < 500) {
    const detail = `Event rejected (${about}). Change the appointment.`;
    return new CalendarError('rejected', 'calendar_event_rejected', detail);
  }
  return unavailable(status, about, headers);
}

/**
 * Maps an error response of the token endpoint (RFC 6749 5.2). `invalid_grant`: the refresh token has expired or was
 * revoked. `invalid_client`: the client's id or secret is wrong. Both need a person to reconnect.
 */
export function refusalOfToken(status: number, headers: Headers, body: unknown): CalendarError {
  const error = word(isObject(body) ? body.error : undefined);
  const about = `HTTP ${[status, ...error].join(', ')}`;
  if (status === 429 || error.some((code) => tokenLimits.includes(code))) return throttled(about, headers);
  if (error.includes('invalid_grant')) {
    const detail = `The refresh token has expired, was revoked or is of another client (${about}). Create a new one.`;
    return refused('calendar_credentials_refused', detail);
  }
  if ((status === 400 || status === 401 || status === 403) && error.length > 0) {
    return refused('calendar_credentials_refused', `Google rejects the OAuth client (${about}). Check id and secret.`);
  }
  if (status === 404) {
    return refused('calendar_url_invalid', `No token endpoint is at this address (${about}). Check \`token_url\`.`);
  }
  return unavailable(status, about, headers);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The value if it is a code. Other texts of an error may quote the request. */
const word = (value: unknown): string[] => (typeof value === 'string' && /^\w{1,60}$/.test(value) ? [value] : []);

/** `error.errors[].reason`, followed by `error.status`, which newer responses have instead. */
function reasonsOf(body: unknown): string[] {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const errors: unknown[] = Array.isArray(error.errors) ? error.errors : [];
  return [...errors.flatMap((each) => (isObject(each) ? word(each.reason) : [])), ...word(error.status)];
}

const refused = (code: string, detail: string) => new CalendarError('refused', code, detail);

const throttled = (about: string, headers: Headers) =>
  new CalendarError('throttled', 'calendar_throttled', `Google limits the request rate (${about}).`, later(headers));

const unavailable = (status: number, about: string, headers: Headers) =>
  new CalendarError('unavailable', 'calendar_unavailable', `Google is unavailable (${about}).`, {
    ...later(headers),
    outage: status >= 500,
  });

function later(headers: Headers): { retryAfterSeconds?: number } {
  const seconds = retryAfterSeconds(headers.get('retry-after'), Date.now());
  return seconds === undefined ? {} : { retryAfterSeconds: seconds };
}
