import { Readable } from 'node:stream';
import {
  defineOperation,
  type Event,
  Exact,
  listEvents,
  type PublicOperation,
  type RequestOf,
} from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RawQuery } from '../requests/query.ts';
import { requestReader } from '../requests/read-request.ts';
import { type ApiRoute, type Route, toRoute } from '../routes/route.ts';
import { eventStream, type FeedPage } from './event-stream.ts';
import { type Feed, follow } from './follow.ts';

const { after, types, entity_id } = listEvents.request.query.properties;

/** No service has this operation: the gateway makes the stream from pages of the feed. */
const streamEvents = defineOperation({
  subject: 'gateway.stream.events',
  http: { method: 'GET', path: '/events/stream' },
  access: { scope: 'events:read' },
  summary: 'Stream the event feed',
  description:
    'Server-sent events: `id` is the `sequence`, `event` the `type`, and `data` the event as JSON. It begins with the ' +
    'events to come, or after `Last-Event-ID` or `after`. A comment every 15 s keeps the connection alive. The server may ' +
    'end a stream at any time: connect again with the last `id`, and no event is skipped.',
  extension: true,
  request: { query: Exact({ after, types, entity_id }) },
  reply: Type.String(),
  errors: ['cursor_expired'],
});

/** The route of the event stream. It is none of `routes`, because its answer is no reply of an operation. */
export const eventStreamRoute = toRoute(streamEvents as PublicOperation) as ApiRoute;

const pageSize = 100;
const fromNowOn = -1;
/** A client that takes nothing for this time is disconnected. A heartbeat comes more often. */
const quietMs = 60_000;
/** The time that a client has to take the rest when the stream ends. A client that reads nothing must not block a stop. */
const lastChanceMs = 500;

type EventStreamOptions = {
  readonly rpc: RpcClient;
  readonly requestTimeoutMs: number;
  readonly feed: Feed;
  readonly route?: Route;
  /** Default: the whole event. */
  readonly frame?: (event: Event) => string;
};

/** Serves `GET /events/stream`. */
export function addEventStream(
  api: FastifyInstance,
  { rpc, requestTimeoutMs, feed, route = eventStreamRoute, frame }: EventStreamOptions,
): void {
  const read = requestReader(route);
  const pages = new Map<string, Promise<FeedPage>>();
  /** The streams of a store that are at the same place read the same page at the same time, so one read serves them. */
  const shared = (key: string, readPage: () => Promise<FeedPage>): Promise<FeedPage> => {
    const page = pages.get(key) ?? readPage().finally(() => pages.delete(key));
    pages.set(key, page);
    return page;
  };
  api.get(route.path, {
    config: { apiRoute: route },
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { parts } = read({
        params: {},
        query: request.query as RawQuery,
        body: undefined,
        headers: request.headers,
        rawHeaders: request.raw.rawHeaders,
        country: request.access.country,
      });
      const { after: given = fromNowOn, ...filters } = (parts.query ?? {}) as RequestOf<typeof streamEvents>['query'];
      const start = lastEventId(request) ?? given;
      const { storeId } = request.access;
      const readAfter = (from: number): Promise<FeedPage> =>
        rpc.call(
          listEvents,
          { query: { ...filters, after: from, limit: pageSize } },
          {
            requestId: request.id,
            storeId,
            deadline: Date.now() + requestTimeoutMs,
            traceparent: request.span?.traceparent,
          },
        );
      const readPage = (from: number) => shared(JSON.stringify([storeId, filters, from]), () => readAfter(from));
      const follower = follow(feed, { route, request, reply, quietMs });
      const first = await readPage(start);
      const stream = Readable.from(eventStream(first, readPage, { after: start, follower, frame }), {
        objectMode: false,
      });
      follower.ended.addEventListener('abort', () => {
        setTimeout(() => reply.raw.destroy(), lastChanceMs).unref();
      });
      request.workedMs = reply.elapsedTime;
      return reply
        .headers({
          'content-type': 'text/event-stream',
          'x-accel-buffering': 'no', // nginx would hold events back
          connection: 'close', // a stop waits for open connections
        })
        .send(stream);
    },
  });
}

/** The position that a client resumes from. An `EventSource` sends it with the address of its first connection. */
function lastEventId(request: FastifyRequest): number | undefined {
  const header = request.headers['last-event-id'];
  if (header === undefined || header === '') return undefined;
  const sequence = typeof header === 'string' && /^[0-9]{1,15}$/.test(header) ? Number(header) : undefined;
  if (sequence !== undefined) return sequence;
  throw validationFailed([{ in: 'header', name: 'Last-Event-ID', detail: 'must be the id of an event of the stream' }]);
}
