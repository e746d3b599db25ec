import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { readBody } from './body.ts';
import type { Egress } from './egress.ts';

export type HttpAnswer = {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
};

/** The request certainly did not reach the server: there was no connection. */
export class NotConnected extends Error {}

// A reachable server accepts a connection in far less. The rest of the time belongs to its answer.
const connectLimitMs = 4_000;

/**
 * Posts JSON and returns any answer. It does not use `fetch`, which cannot tell a failed connect from a lost answer.
 *
 * @throws NotConnected only when no byte of the request can have been sent; after any other error that is unknown. Its
 * cause is an `AddressRefused` when the address is in a private network or has no TLS.
 */
export function postJson(
  url: URL,
  {
    egress,
    headers,
    body,
    signal,
  }: { egress: Egress; headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let connected = false;
    const secure = url.protocol === 'https:';
    const fail = (cause: unknown) => {
      clearTimeout(timer);
      reject(connected ? cause : new NotConnected('no connection', { cause }));
    };
    let way: ReturnType<Egress['wayTo']>;
    try {
      way = egress.wayTo(url);
    } catch (cause) {
      return reject(new NotConnected('no connection', { cause }));
    }
    const request = (secure ? requestHttps : requestHttp)(url, {
      ...way,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      signal,
    });
    const timer = setTimeout(() => {
      if (!connected) request.destroy(new Error('no connection in time'));
    }, connectLimitMs);
    request.once('socket', (socket) => {
      const onConnected = () => {
        connected = true;
        clearTimeout(timer);
      };
      // A reused connection is already connected, even if it turns out to be dead.
      if (!socket.connecting) onConnected();
      else socket.once(secure ? 'secureConnect' : 'connect', onConnected);
    });
    request.once('error', fail);
    request.once('response', (response) => {
      readBody(response).then((read) => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: read.toString('utf8') });
      }, fail);
    });
    request.end(body);
  });
}

/** The longest `Retry-After` that a provider may set. */
const maxRetryAfterSeconds = 86_400;

/** Whole seconds of a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). `undefined` when it is neither. */
export function retryAfterSeconds(header: string | string[] | null | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds);
}
