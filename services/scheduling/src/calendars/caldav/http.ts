import { readBody } from '@mostrador/kit/clients/body';
import type { Egress } from '@mostrador/kit/clients/egress';
import { CalendarError } from '../calendar-provider.ts';
import { failureOf } from '../http.ts';
import { refusalOf } from './refusal.ts';

const maxRedirects = 3;

/** Sends a request. Returns the response with its whole body when the status is 2xx or `expected`. */
export type CaldavFetch = typeof fetch;

/**
 * The address of the collection with a trailing slash.
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
    throw invalidUrl('The address of the calendar must not contain a user name or a password.');
  }
  if (parsed.search || parsed.hash)
    throw invalidUrl('The address of the calendar must not have a query or a fragment.');
  if (!parsed.pathname.endsWith('/')) parsed.pathname += '/';
  return parsed;
}

const invalidUrl = (detail: string) => new CalendarError('refused', 'calendar_url_invalid', detail);

/** The `Authorization` header for a user name and password (RFC 7617). Undefined for a calendar without credentials. */
export const authorizationOf = (username: string | undefined, password: string | undefined): string | undefined =>
  username === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;

/**
 * Creates a `fetch` that sends the credentials to one origin only and limits the size of the response.
 *
 * @throws CalendarError for every status except 2xx and the `expected` ones.
 */
export function createCaldavFetch(options: {
  egress: Egress;
  authorization: string | undefined;
  signal: AbortSignal;
  expected: readonly number[];
  /** Of a response. Default: 256 KiB. */
  mostBytes?: number;
}): CaldavFetch {
  const { egress, authorization, signal, expected, mostBytes } = options;
  return async (input, init) => {
    try {
      const headers = new Headers(init?.headers);
      headers.set('user-agent', 'Mostrador');
      // A server that compresses may answer with an ETag that it does not take back.
      headers.set('accept-encoding', 'identity');
      if (authorization) headers.set('authorization', authorization);
      const response = await follow(egress, new URL(String(input)), { ...init, headers, signal });
      const body = (await readBody(response.body, mostBytes)).toString('utf8');
      if (!response.ok && !expected.includes(response.status)) throw refusalOf(response.status, response.headers, body);
      return new Response(body === '' ? null : body, { status: response.status, headers: response.headers });
    } catch (error) {
      throw error instanceof CalendarError ? error : failureOf(error, signal);
    }
  };
}

/** Follows redirects within the origin, with the same method and body. Another origin never gets the credentials. */
async function follow(egress: Egress, url: URL, init: RequestInit): Promise<Response> {
  let target = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await egress.fetch(target, init);
    const location = response.headers.get('location');
    if (![301, 302, 307, 308].includes(response.status) || !location) return response;
    await response.body?.cancel();
    const next = URL.parse(location, target.href);
    if (next?.origin !== url.origin) {
      const where = next && next.origin !== 'null' ? ` (${next.origin})` : '';
      const detail = `The calendar's address redirects to another server${where}. Connect with the address there.`;
      throw new CalendarError('refused', 'calendar_moved', detail);
    }
    next.username = '';
    next.password = '';
    target = next;
  }
  throw new CalendarError('refused', 'calendar_moved', 'The address redirects too many times. Check it.');
}
