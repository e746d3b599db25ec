import { Readable } from 'node:stream';
import type { Log } from '@mostrador/kit/process/log';
import type { CallContext, ForwardedReply } from '@mostrador/kit/rpc/client';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { UncheckedRequest } from '@mostrador/kit/rpc/validate';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Feed } from '../events/follow.ts';
import { addVary } from '../http/headers.ts';
import { toAppError } from '../plugins/problem.ts';
import type { Route } from '../routes/route.ts';
import { exportText, firstRows, persistently } from './export-text.ts';
import { type ExportType, exportWriter } from './export-writer.ts';
import type { RunningExports } from './running-exports.ts';

/** What exports need beside the request. */
export type Exporting = { readonly running: RunningExports; readonly log: Log };

export type ExportOptions = Exporting & {
  readonly route: Route;
  readonly type: ExportType;
  /** The query of the list, validated. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly ask: (asked: UncheckedRequest, context?: Partial<CallContext>) => Promise<ForwardedReply>;
  readonly stillMay: Feed['stillMay'];
  /** How long each page may take, with its retries. The export as a whole has no limit. */
  readonly requestTimeoutMs: number;
};

/**
 * Answers a list as NDJSON or CSV: all rows in one response, made from the pages as the client takes them. A failure of
 * the first page is an ordinary error. A later one breaks off the response, so that no client takes it for complete.
 */
export async function sendExport(request: FastifyRequest, reply: FastifyReply, options: ExportOptions) {
  const { route, type, query, ask, running, log, stillMay, requestTimeoutMs } = options;
  assertHasNoPages(query);
  const writer = exportWriter(type, route.operation);
  addVary(reply, 'Accept');
  // nginx would take all that the gateway has, however slowly the client reads.
  const headers = { 'content-type': writer.contentType, 'x-accel-buffering': 'no' };
  const firstPage = (limit: number) => ask({ query: { ...query, limit } });
  if (request.method === 'HEAD') {
    await firstPage(1);
    return reply.headers(headers).send(Readable.from([]));
  }

  const left = new AbortController();
  const limits = { limitMs: requestTimeoutMs, signal: left.signal };
  const end = running.begin(request.access.storeId, () => breakOff(request, reply));
  const onClose = () => {
    left.abort();
    end();
  };
  // The client may have left while the gateway asked about a phone of the query.
  if (reply.raw.destroyed) onClose();
  else reply.raw.once('close', onClose);
  const first = await firstPage(firstRows);
  const access = stillMay(request, route);
  const text = exportText(
    {
      first,
      read: (page) =>
        persistently((deadline) => ask({ query: { ...query, ...page } }, { deadline, signal: left.signal }), limits),
      checkAccess: () => persistently(async () => access.run(), limits),
      mostRows: route.operation.request.query?.properties.limit?.maximum,
    },
    writer,
  );
  const onFailure = (error: Error) => {
    if (left.signal.aborted) return;
    request.failure = toAppError(error as never).code;
    log.warn({ err: error, request_id: request.id }, 'an export broke off');
    breakOff(request, reply);
  };
  request.workedMs = reply.elapsedTime;
  return reply.headers(headers).send(Readable.from(text, { objectMode: false }).once('error', onFailure));
}

/** Breaks off the response as an error. Before HTTP/1.1 a closed connection is the end of a body, and only a reset is not. */
function breakOff({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.httpVersion === '1.0') raw.socket.resetAndDestroy();
  else reply.raw.destroy();
}

function assertHasNoPages(query: ExportOptions['query']): void {
  const faults = ['page', 'limit']
    .filter((name) => query[name] !== undefined)
    .map((name) => ({
      ...{ in: 'query' as const, name },
      detail: 'does not apply to an export, which has all rows; leave it out',
    }));
  if (faults.length > 0) throw validationFailed(faults);
}
