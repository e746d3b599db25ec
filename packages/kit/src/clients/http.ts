import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export type HttpAnswer = {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
};

/** Nothing of the request can have reached anyone: there was no connection to write it to. */
export class NotConnected extends Error {}

// A server that is there takes a connection in far less; what is left of the time belongs to its answer.
const connectLimitMs = 4_000;
// An answer is small; what is longer is not read.
const maxAnswerBytes = 256 * 1024;

/**
 * Posts JSON and returns whatever is answered. Not `fetch`, which does not tell a failed connect from a lost answer.
 *
 * @throws NotConnected only when no byte of the request can have been sent; any other error leaves that open
 */
export function postJson(
  url: URL,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let connected = false;
    const secure = url.protocol === 'https:';
    const fail = (cause: unknown) => {
      clearTimeout(timer);
      reject(connected ? cause : new NotConnected('no connection', { cause }));
    };
    const request = (secure ? requestHttps : requestHttp)(url, {
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
      // One that was kept open from before is connected already, also when it turns out to be dead.
      if (!socket.connecting) onConnected();
      else socket.once(secure ? 'secureConnect' : 'connect', onConnected);
    });
    request.once('error', fail);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) request.destroy(new Error('the answer is too large'));
        else chunks.push(chunk);
      });
      response.once('error', fail);
      response.once('end', () => {
        clearTimeout(timer);
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString('utf8') });
      });
      response.once('close', () => fail(new Error('the answer broke off')));
    });
    request.end(body);
  });
}

/** A provider must not postpone the next attempt for longer than this. */
const maxRetryAfterSeconds = 86_400;

/** Whole seconds of a `Retry-After` header, which is seconds or a date (RFC 9110, 10.2.3). `undefined` when it is neither. */
export function retryAfterSeconds(header: string | string[] | null | undefined, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 0), maxRetryAfterSeconds);
}
