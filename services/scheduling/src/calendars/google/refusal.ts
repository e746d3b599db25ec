import { retryAfterSeconds } from '@mostrador/kit/clients/http';
import { CalendarError } from '../calendar-provider.ts';

/**
 * Usage limits that come as a 403: developers.google.com/workspace/calendar/api/guides/errors. `quotaExceeded` is the
 * calendar's own limit; `dailyLimitExceeded` that of the project.
 */
const usageLimits = ['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'dailyLimitExceeded'];

/** Limits of the token endpoint, which come with various statuses. */
const tokenLimits = ['rate_limit_exceeded', 'slow_down'];

/** What an answer of the Calendar API that is not a success means for the connection or for the event. */
export function refusalOfApi(status: number, headers: Headers, body: unknown): CalendarError {
  const reasons = reasonsOf(body);
  const about = `HTTP ${[status, ...reasons.slice(0, 1)].join(', ')}`;
  if (status === 429 || (status === 403 && reasons.some((reason) => usageLimits.includes(reason)))) {
    return throttled(about, headers);
  }
  switch (status) {
    case 401:
      return refused('calendar_credentials_refused', `Google does not accept its own access token (${about}).`);
    case 403:
      return refused('calendar_permission_denied', `The calendar allows no access (${about}).`);
    case 404:
    case 410:
      return refused('calendar_not_found', `The account has no calendar with this id (${about}).`);
    case 408:
    case 409:
      return unavailable(about, headers);
  }
  if (status >= 400 && status < 500) {
    const detail = `The calendar does not take this event (${about}).`;
    return new CalendarError('rejected', 'calendar_event_rejected', detail);
  }
  return unavailable(about, headers);
}

/**
 * What an answer of the token endpoint that is not a success means (RFC 6749 5.2). `invalid_grant`: the refresh token
 * has expired or was revoked; `invalid_client`: the client's id or secret is wrong. Only a person can mend either.
 */
export function refusalOfToken(status: number, headers: Headers, body: unknown): CalendarError {
  const error = word(isObject(body) ? body.error : undefined);
  const about = `HTTP ${[status, ...error].join(', ')}`;
  if (status === 429 || error.some((code) => tokenLimits.includes(code))) return throttled(about, headers);
  if (error.includes('invalid_grant')) {
    const detail = `The refresh token is expired, revoked or of another client (${about}).`;
    return refused('calendar_credentials_refused', detail);
  }
  if ((status === 400 || status === 401 || status === 403) && error.length > 0) {
    return refused('calendar_credentials_refused', `Google refuses the OAuth client (${about}).`);
  }
  if (status === 404) {
    return refused('calendar_url_invalid', `There is no token endpoint at the token address (${about}).`);
  }
  return unavailable(about, headers);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A code and nothing else: an error's other words may quote what was sent. */
const word = (value: unknown): string[] => (typeof value === 'string' && /^\w{1,60}$/.test(value) ? [value] : []);

/** `error.errors[].reason`, and where newer answers have none, `error.status`. */
function reasonsOf(body: unknown): string[] {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const errors: unknown[] = Array.isArray(error.errors) ? error.errors : [];
  return [...errors.flatMap((each) => (isObject(each) ? word(each.reason) : [])), ...word(error.status)];
}

const refused = (code: string, detail: string) => new CalendarError('refused', code, detail);

const throttled = (about: string, headers: Headers) =>
  new CalendarError('throttled', 'calendar_throttled', `Google asks for fewer requests (${about}).`, later(headers));

const unavailable = (about: string, headers: Headers) =>
  new CalendarError('unavailable', 'calendar_unavailable', `Google does not work now (${about}).`, later(headers));

function later(headers: Headers): { retryAfterSeconds?: number } {
  const seconds = retryAfterSeconds(headers.get('retry-after'), Date.now());
  return seconds === undefined ? {} : { retryAfterSeconds: seconds };
}
