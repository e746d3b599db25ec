import { CalendarError } from '../calendar-provider.ts';
import { failureOf, readBounded } from '../http.ts';

/**
 * The `fetch` that the vendor's client is given: a bounded answer, no redirects (the credentials stay where they were
 * sent), and JSON where it is a success. Else the client takes half an answer for text, and writes it into its errors.
 *
 * @throws CalendarError when there is no answer; the client wraps it in an error of its own.
 */
export async function googleFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { method, headers, body } = init;
  const signal = init.signal ?? new AbortController().signal;
  try {
    const response = await fetch(input, { method, headers, body, signal, redirect: 'manual' });
    const text = await readBounded(response);
    if (response.ok && text !== '' && !isJsonObject(text)) throw unreadable();
    return new Response(text === '' ? null : text, { status: response.status, headers: response.headers });
  } catch (error) {
    throw error instanceof CalendarError ? error : failureOf(error, signal);
  }
}

/** Answers of the vendor's server that are not what they should be. The cause is left out: it may hold the answer. */
export const unreadable = (): CalendarError =>
  new CalendarError('unavailable', 'calendar_answer_unreadable', "The calendar's answer makes no sense.");

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
 * What became of a request of the vendor's client. Its error is never passed on, nor made a cause: it holds the
 * request with its headers and body, which are the credentials.
 */
export function fromGoogleError(error: unknown, refusalOf: Refusal): CalendarError {
  if (error instanceof CalendarError) return error;
  if (!(error instanceof Error)) return unreadable();
  if (error.cause instanceof CalendarError) return error.cause;
  const { status, response } = error as { status?: number; response?: { headers: Headers; data: unknown } };
  // Not `code`: with the client that is sometimes the status and sometimes not.
  return typeof status === 'number' && response ? refusalOf(status, response.headers, response.data) : unreadable();
}
