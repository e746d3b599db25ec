import type { listEvents, RequestOf } from '@mostrador/contracts';
import type { CallContext, ForwardedReply, RpcClient } from '@mostrador/kit/rpc/client';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { UncheckedRequest } from '@mostrador/kit/rpc/validate';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorOf } from '../access/access.ts';
import { type Feed, follow } from '../events/follow.ts';
import { waitForEvents } from '../events/wait-for-events.ts';
import { exportTypes } from '../exports/export-writer.ts';
import { type Exporting, sendExport } from '../exports/send-export.ts';
import { currentTag } from '../http/entity-tags.ts';
import { addVary } from '../http/headers.ts';
import { namedBeforeJson } from '../http/media-type.ts';
import type { RawQuery } from '../requests/query.ts';
import { requestReader } from '../requests/read-request.ts';
import { settlePhones } from '../requests/settle-phones.ts';
import type { Route } from '../routes/route.ts';

export type ForwardOptions = {
  readonly rpc: RpcClient;
  /** Where clients reach the routes: scheme, host and prefix. */
  readonly baseUrl: string;
  /** How long an operation may take, in milliseconds. */
  readonly requestTimeoutMs: number;
  readonly feed: Feed;
  /** Default: the lists answer JSON only. */
  readonly exporting?: Exporting;
  /** Throws unless this valid request may go on. Default: it may. */
  readonly admit?: (request: FastifyRequest, route: Route, parts: UncheckedRequest) => Promise<void>;
};

/** Serves a route: validates each request, sends it to the owning service and returns the bytes of its answer. */
export const forwarder = (options: ForwardOptions) => (route: Route) => {
  const { rpc, baseUrl, requestTimeoutMs, feed, exporting, admit } = options;
  const read = requestReader(route);

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { headers } = request;
    const query = request.query as RawQuery;
    const params = request.params as Record<string, string>;
    const { parts, idempotency, preconditions, open } = read({
      params,
      query,
      body: request.body,
      headers,
      rawHeaders: request.raw.rawHeaders,
      country: request.access.country,
    });
    const context = () => ({
      requestId: request.id,
      storeId: request.access.storeId,
      deadline: Date.now() + requestTimeoutMs,
      actor: actorOf(request.access),
      traceparent: request.span?.traceparent,
    });
    if (open) await settlePhones(rpc, parts, open, context());
    if (admit) await admit(request, route, parts);
    const csv = route.csv?.(parts.query as object, headers.accept);
    // The gateway makes the CSV, because content negotiation is part of HTTP and services have one format.
    if (csv) parts.query = csv.query;
    const ask = (asked: UncheckedRequest, own: Partial<CallContext> = {}) =>
      rpc.forward(route.operation, asked as RequestOf<typeof route.operation>, {
        ...context(),
        person: request.access.person,
        actorName: request.access.name,
        idempotency,
        ...preconditions,
        ...own,
      });
    const exported = exporting && route.exports ? namedBeforeJson(headers.accept, exportTypes) : undefined;
    if (exporting && exported) {
      const asked = { route, type: exported, query: parts.query as Record<string, unknown>, ask };
      return await sendExport(request, reply, { ...exporting, ...asked, stillMay: feed.stillMay, requestTimeoutMs });
    }
    const answer = await (route.follows ? followed(route, request, reply, { ask, parts, ...options }) : ask(parts));
    return send(route, request, reply, answer, { baseUrl, csv: csv?.render });
  };
};

type FollowOptions = ForwardOptions & {
  readonly ask: (parts: UncheckedRequest) => Promise<ForwardedReply>;
  readonly parts: UncheckedRequest;
};

/** The answer to a request with `wait`. The service never waits, so none of its slots is held. */
async function followed(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { ask, parts, feed, requestTimeoutMs }: FollowOptions,
): Promise<ForwardedReply> {
  const { wait = 0, ...query } = parts.query as RequestOf<typeof listEvents>['query'];
  if (wait === 0) return await ask({ query });
  if (query.order === 'desc') {
    throw validationFailed([{ in: 'query', name: 'wait', detail: 'cannot be combined with `order=desc`' }]);
  }
  const waitMs = wait * 1000;
  const follower = follow(feed, { route, request, reply, quietMs: waitMs + requestTimeoutMs + 1000 });
  const startedMs = performance.now();
  try {
    const read = (after: number) => ask({ query: { ...query, after } });
    return await waitForEvents(read, follower, { after: query.after ?? 0, waitMs });
  } finally {
    request.workedMs = reply.elapsedTime - (performance.now() - startedMs);
    follower.end('left');
  }
}

type SendOptions = { readonly baseUrl: string; readonly csv: ((reply: never) => string) | undefined };

function send(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ForwardedReply,
  { baseUrl, csv }: SendOptions,
) {
  const { etag, nextCursor, replayed } = answer.headers;
  if (etag !== undefined) reply.header('etag', etag);
  if (replayed) reply.header('idempotent-replay', 'true');
  if (nextCursor !== undefined) reply.header('link', `<${nextPage(request, nextCursor, baseUrl)}>; rel="next"`);

  if (route.located) reply.header('location', `${baseUrl}${pathOf(request)}/${parsed(answer).id}`);

  const ifNoneMatch = route.method === 'GET' ? request.headers['if-none-match'] : undefined;
  const current = etag && ifNoneMatch && currentTag(ifNoneMatch, etag);
  if (current) return reply.code(304).header('etag', current).send();
  if (route.csv || route.exports) addVary(reply, 'Accept');
  if (csv) {
    const table = csv(parsed(answer) as never);
    return reply.code(200).header('content-type', 'text/csv; charset=utf-8; header=present').send(table);
  }
  const { buffer, byteOffset, byteLength } = answer.body;
  return reply
    .code(route.upserts && parsed(answer).created ? 201 : route.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(Buffer.from(buffer, byteOffset, byteLength));
}

const parsed = ({ body }: ForwardedReply): Record<string, unknown> => JSON.parse(Buffer.from(body).toString('utf8'));

/** The URL of the next page: this request's URL, with the cursor instead of the page number. */
function nextPage(request: FastifyRequest, cursor: string, baseUrl: string): string {
  const query = new URLSearchParams(request.query as Record<string, string>);
  query.delete('page');
  query.set('cursor', cursor);
  return `${baseUrl}${pathOf(request)}?${query}`;
}

/** The concrete path below the prefix: the route's pattern with the validated parameters. */
function pathOf(request: FastifyRequest): string {
  const params = request.params as Record<string, string>;
  const pattern = request.routeOptions.config.apiRoute?.path ?? '';
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
