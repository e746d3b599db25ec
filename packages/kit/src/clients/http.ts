import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { readBody } from './body.ts';
import type { Egress } from './egress.ts';

export type HttpAnswer = {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
};

/** The request certainly did not reach the server: no byte of it was sent. */
export class NotConnected extends Error {}

/** The server has closed the kept connection that the request was to use. No byte was sent. */
class ClosedBefore extends NotConnected {}

// A reachable server accepts a connection in far less. The rest of the time belongs to its answer.
const connectLimitMs = 4_000;

type Post = {
  readonly egress: Egress;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
};

/**
 * Posts JSON and returns any answer. It does not use `fetch`, which cannot tell a failed connect from a lost answer. A
 * kept connection that the server has closed meanwhile is replaced by another one.
 *
 * @throws NotConnected only when no byte of the request can have been sent; after any other error that is unknown. Its
 * cause is an `AddressRefused` when the address is in a private network or has no TLS.
 */
export async function postJson(url: URL, post: Post): Promise<HttpAnswer> {
  // Ends, because each turn uses up a kept connection, and a new one is not `ClosedBefore`.
  for (;;) {
    try {
      return await postOnce(url, post);
    } catch (error) {
      if (!(error instanceof ClosedBefore) || post.signal.aborted) throw error;
    }
  }
}

function postOnce(url: URL, { egress, headers, body, signal }: Post): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    /** The request may be on its way. */
    let sent = false;
    const secure = url.protocol === 'https:';
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
    const fail = (cause: unknown) => {
      clearTimeout(timer);
      if (sent) return reject(cause);
      const Failure = request.reusedSocket ? ClosedBefore : NotConnected;
      reject(new Failure('no connection', { cause }));
    };
    const timer = setTimeout(() => {
      if (!sent) request.destroy(new Error('no connection in time'));
    }, connectLimitMs);
    const send = () => {
      if (request.destroyed) return;
      sent = true;
      clearTimeout(timer);
      request.end(body);
    };
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', send);
      else afterNextPoll(send);
    });
    request.once('error', fail);
    request.once('response', (response) => {
      readBody(response).then((read) => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: read.toString('utf8') });
      }, fail);
    });
  });
}

/**
 * Runs the work once the event loop has read what came from the network. Whether the server has closed a kept connection
 * is known then, and not only after the request was sent into it. The first turn may come before the next poll.
 */
const afterNextPoll = (work: () => void) => setImmediate(() => setImmediate(work));

/** The longest `Retry-After` that a provider may set. */
const maxRetryAfterSeconds = 86_400;

/** Whole seconds of a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). `undefined` when it is neither. */
export function retryAfterSeconds(header: string | string[] | null | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds);
}
