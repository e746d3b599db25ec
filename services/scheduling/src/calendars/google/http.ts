import { readBody } from '@mostrador/kit/clients/body';
import type { Egress } from '@mostrador/kit/clients/egress';
import { CalendarError } from '../calendar-provider.ts';
import { failureOf } from '../http.ts';

export type GoogleAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** Empty when there is no body, and when the body of a failure is no JSON. */
  readonly body: Readonly<Record<string, unknown>>;
};

/**
 * Sends a request to Google and reads its JSON. It follows no redirects, so that no other server gets the credentials.
 * @throws CalendarError when there is no usable answer. It has no cause, because that could quote the request.
 */
export async function askGoogle(
  egress: Egress,
  url: string,
  { mostBytes, ...init }: RequestInit & { readonly signal: AbortSignal; readonly mostBytes?: number | undefined },
): Promise<GoogleAnswer> {
  try {
    const { ok, status, headers, body } = await egress.fetch(url, init);
    const text = (await readBody(body, mostBytes)).toString('utf8');
    const read = text === '' ? {} : objectIn(text);
    if (ok && !read) throw unreadable();
    return { status, headers, body: read ?? {} };
  } catch (error) {
    throw error instanceof CalendarError ? error : failureOf(error, init.signal);
  }
}

/** The error for a malformed answer. */
export const unreadable = (): CalendarError =>
  new CalendarError('unavailable', 'calendar_answer_unreadable', "The calendar's response cannot be read.");

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
