import type { Egress } from '@mostrador/kit/clients/egress';
import { CalendarError } from '../calendar-provider.ts';
import { failureOf, readBounded } from '../http.ts';

/**
 * Creates the `fetch` for Google's client. It limits the size of the response and follows no redirects, so that no other server
 * gets the credentials. A success must be JSON, because the client quotes a truncated response in its errors.
 *
 * It throws a CalendarError when there is no usable response. The client wraps it in its own error.
 */
export const createGoogleFetch =
  (egress: Egress): typeof fetch =>
  async (input, init = {}) => {
    const { method, headers, body } = init;
    const signal = init.signal ?? new AbortController().signal;
    try {
      const response = await egress.fetch(input, { method, headers, body, signal });
      const text = await readBounded(response);
      if (response.ok && text !== '' && !isJsonObject(text)) throw unreadable();
      return new Response(text === '' ? null : text, { status: response.status, headers: response.headers });
    } catch (error) {
      throw error instanceof CalendarError ? error : failureOf(error, signal);
    }
  };

/** The error for a malformed response. It has no cause, because that could quote the response. */
export const unreadable = (): CalendarError =>
  new CalendarError('unavailable', 'calendar_answer_unreadable', "The calendar's response cannot be read.");

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

type Refusal = (status: number, headers: Headers, body: unknown) => CalendarError;

/**
 * Converts an error of Google's client. The original is neither passed on nor kept as the cause, because it holds the
 * request with the credentials in its headers and body.
 */
export function fromGoogleError(error: unknown, refusalOf: Refusal): CalendarError {
  if (error instanceof CalendarError) return error;
  if (!(error instanceof Error)) return unreadable();
  if (error.cause instanceof CalendarError) return error.cause;
  const { status, response } = error as { status?: number; response?: { headers: Headers; data: unknown } };
  // Not `code`, which only sometimes holds the status.
  return typeof status === 'number' && response ? refusalOf(status, response.headers, response.data) : unreadable();
}
