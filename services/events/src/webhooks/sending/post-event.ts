import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { collectBody } from '@mostrador/kit/clients/body';
import { AddressRefused, type Egress } from '@mostrador/kit/clients/egress';
import { retryAfterSeconds } from '@mostrador/kit/clients/http';
import { NameUnresolved } from '@mostrador/kit/clients/names';
import type { Outcome } from './next-move.ts';
import { watchStatus } from './status-line.ts';

/** How much of an answer is kept. The rest is not read. */
const keptBytes = 4 * 1024;

type Request = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For the whole attempt: look-up, connection, request and answer. */
  readonly limitMs: number;
};

/**
 * Makes one attempt, and never throws. It follows no redirect. A failure has a code of ours instead of the text of an
 * inner error, which could tell an outsider about the network of the server.
 *
 * The status line decides, whatever follows it: what the receiver did is done. The body is only for the log.
 */
export function postEvent(egress: Egress, { url: address, headers, body, limitMs }: Request): Promise<Outcome> {
  return new Promise((resolve) => {
    const url = new URL(address);
    let request: ReturnType<typeof requestHttp>;
    try {
      request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
        ...egress.wayTo(url),
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'Mostrador-Webhooks/1',
        },
      });
    } catch (error) {
      return resolve(failed(codeOf(error)));
    }
    let failure = '';
    let watched: ReturnType<typeof watchStatus> | undefined;
    let answer: IncomingMessage | undefined;
    const kept = collectBody(keptBytes);
    const finish = () => {
      clearTimeout(timer);
      watched?.end();
      const status = answer?.statusCode ?? watched?.status();
      if (status === undefined) return resolve(failed(failure || codeOf(undefined)));
      const text = kept.read().toString('utf8').replaceAll('\0', '\ufffd');
      resolve(outcomeOf(status, text, answer?.headers['retry-after']));
    };
    const timer = setTimeout(() => {
      failure = 'timeout';
      request.destroy();
    }, limitMs);
    request.once('socket', (socket) => {
      watched = watchStatus(socket);
    });
    // The bytes before the error are still to be read, so `close` finishes.
    request.once('error', (error) => {
      failure ||= codeOf(error);
    });
    request.once('close', finish);
    request.once('response', (response) => {
      answer = response;
      response.on('data', (chunk: Buffer) => {
        if (kept.add(chunk)) return;
        finish();
        request.destroy();
      });
      response.once('end', finish);
    });
    request.end(body);
  });
}

const failed = (error: string): Outcome => ({ kind: 'failed', error, status: null, body: null });

function outcomeOf(status: number, body: string, retryAfter: string | undefined): Outcome {
  if (status >= 200 && status < 300) return { kind: 'succeeded', status, body };
  const error = status >= 300 && status < 400 ? 'redirect' : `http_${status}`;
  return { kind: 'failed', error, status, body, retryAfterSeconds: retryAfterSeconds(retryAfter, Date.now()) };
}

function codeOf(error: unknown): string {
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof NameUnresolved) return 'dns_failed';
  const { code = '' } = (error ?? {}) as { code?: string };
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(code)) return 'tls_failed';
  return 'connection_failed';
}
