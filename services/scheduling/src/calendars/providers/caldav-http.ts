import { CalendarError } from '../calendar-provider.ts';
import { refusalOf } from './caldav-refusal.ts';

/** A calendar's answers are small; what is longer is not read. */
const maxAnswerBytes = 256 * 1024;
const maxRedirects = 3;

/** Sends a request and gives back the whole answer, when its status is one of `expected` or 2xx. */
export type CaldavFetch = typeof fetch;

/**
 * The collection's address with its closing slash.
 *
 * @throws CalendarError `refused` when it is not a plain http or https address.
 */
export function collectionUrl(url: string | undefined): URL {
  const parsed = url === undefined ? null : URL.parse(url);
  if (!parsed) throw invalidUrl('The address of the calendar is missing or is not a URL.');
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    throw invalidUrl('The address of the calendar must begin with http:// or https://.');
  }
  if (parsed.username || parsed.password) {
    throw invalidUrl('The address of the calendar must not hold a user name or a password.');
  }
  if (parsed.search || parsed.hash)
    throw invalidUrl('The address of the calendar must not have a query or a fragment.');
  if (!parsed.pathname.endsWith('/')) parsed.pathname += '/';
  return parsed;
}

const invalidUrl = (detail: string) => new CalendarError('refused', 'calendar_url_invalid', detail);

/** `Authorization` for a name and password (RFC 7617), or nothing for a calendar that needs none. */
export const authorizationOf = (username: string | undefined, password: string | undefined): string | undefined =>
  username === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;

/**
 * A `fetch` for one calendar: sends the credentials to its origin only, ends with the signal, reads a bounded answer.
 *
 * @throws CalendarError for everything but a 2xx and the `expected` statuses.
 */
export function createCaldavFetch(options: {
  authorization: string | undefined;
  signal: AbortSignal;
  expected: readonly number[];
}): CaldavFetch {
  const { authorization, signal, expected } = options;
  return async (input, init) => {
    try {
      const headers = new Headers(init?.headers);
      headers.set('user-agent', 'Mostrador');
      if (authorization) headers.set('authorization', authorization);
      const response = await follow(new URL(String(input)), { ...init, headers, signal, redirect: 'manual' });
      const body = await readBounded(response);
      if (!response.ok && !expected.includes(response.status)) throw refusalOf(response.status, response.headers, body);
      return new Response(body === '' ? null : body, { status: response.status, headers: response.headers });
    } catch (error) {
      throw error instanceof CalendarError ? error : failureOf(error, signal);
    }
  };
}

/** Follows redirects within the origin, with the same method and body; another origin never sees the credentials. */
async function follow(url: URL, init: RequestInit): Promise<Response> {
  let target = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(target, init);
    const location = response.headers.get('location');
    if (![301, 302, 307, 308].includes(response.status) || !location) return response;
    await response.body?.cancel();
    const next = URL.parse(location, target.href);
    if (next?.origin !== url.origin) {
      const where = next && next.origin !== 'null' ? ` (${next.origin})` : '';
      const detail = `The calendar's address leads to another server${where}. Connect with the address there.`;
      throw new CalendarError('refused', 'calendar_moved', detail);
    }
    next.username = '';
    next.password = '';
    target = next;
  }
  throw new CalendarError('refused', 'calendar_moved', "The calendar's address redirects too many times.");
}

async function readBounded(response: Response): Promise<string> {
  if (!response.body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (bytes > maxAnswerBytes) {
      throw new CalendarError('rejected', 'calendar_answer_too_large', "The calendar's answer is too large.");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const certificateProblem = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/;

/** What became of a request without an answer. Only the system's error code is told: its text may name addresses. */
function failureOf(error: unknown, signal: AbortSignal): CalendarError {
  if (signal.aborted) {
    return new CalendarError('unavailable', 'calendar_timeout', 'The calendar did not answer in time.');
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const systemCode = cause && typeof cause === 'object' && 'code' in cause ? String(cause.code) : undefined;
  const suffix = systemCode ? ` (${systemCode})` : '';
  if (systemCode && certificateProblem.test(systemCode)) {
    return new CalendarError('unavailable', 'calendar_tls_failed', `No secure connection to the calendar${suffix}.`);
  }
  return new CalendarError('unavailable', 'calendar_unreachable', `The calendar could not be reached${suffix}.`);
}
