/**
 * An error answer, in the format of the Calendar API. Source of each:
 * developers.google.com/workspace/calendar/api/guides/errors
 */
export class GoogleFault extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

type Details = { domain?: string; location?: string; locationType?: string; headers?: Record<string, string> };

export function apiFault(status: number, reason: string, message: string, details: Details = {}): GoogleFault {
  const { domain = 'global', headers, ...location } = details;
  const errors = [{ domain, reason, message, ...location }];
  return new GoogleFault(status, { error: { errors, code: status, message } }, headers);
}

export const invalid = (message: string) => apiFault(400, 'invalid', message);
export const required = (what: string) => apiFault(400, 'required', `Missing ${what}.`);
export const notFound = () => apiFault(404, 'notFound', 'Not Found');
/** The id exists, or belonged to a deleted event: googleapis/google-api-python-client issues 210 and 846. */
export const duplicate = () => apiFault(409, 'duplicate', 'The requested identifier already exists.');
/** An update of a deleted event: googleapis/google-api-ruby-client issue 1811. */
export const forbidden = () => apiFault(403, 'forbidden', 'Forbidden');
/** A sync token that Google takes no more: …/calendar/api/guides/errors#410_gone. */
export const fullSyncRequired = () =>
  apiFault(410, 'fullSyncRequired', 'Sync token is no longer valid, a full sync is required.', {
    domain: 'calendar',
    ...{ locationType: 'parameter', location: 'syncToken' },
  });
export const deleted = () => apiFault(410, 'deleted', 'Resource has been deleted');
export const invalidCredentials = () =>
  apiFault(401, 'authError', 'Invalid Credentials', { locationType: 'header', location: 'Authorization' });
export const conditionNotMet = () =>
  apiFault(412, 'conditionNotMet', 'Precondition Failed', { locationType: 'header', location: 'If-Match' });
export const needsWriter = () =>
  apiFault(403, 'requiredAccessLevel', 'You need to have writer access to this calendar.', { domain: 'calendar' });
export const insufficientScope = () =>
  apiFault(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.');
export const backendError = (status = 503) => apiFault(status, 'backendError', 'Backend Error');

/** A rate limit: 403 or 429, with or without `Retry-After`. */
export const rateLimited = (status: 403 | 429, reason = 'rateLimitExceeded', retryAfterSeconds?: number) =>
  apiFault(status, reason, 'Rate Limit Exceeded', {
    domain: 'usageLimits',
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } }),
  });

/** An error of the token endpoint, as in OAuth: RFC 6749 section 5.2. */
export const tokenFault = (status: number, error: string, description: string) =>
  new GoogleFault(status, { error, error_description: description });
