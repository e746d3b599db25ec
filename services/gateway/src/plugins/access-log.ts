import type { Log } from '@mostrador/kit/process/log';
import { counter, histogram, type MetricDefinition, type Metrics } from '@mostrador/kit/process/metrics';
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../access/access.ts';
import { probePaths } from './probes.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyRequest {
    /** Of a request that waits for events: how long it took without the wait, in milliseconds. */
    workedMs: number | null;
  }
}

export const httpMetrics = {
  duration: {
    name: 'mostrador_http_duration_seconds',
    type: 'histogram',
    help: 'Time from the arrival of an HTTP request to the end of its response, without the wait for events.',
    labels: {
      method: 'the HTTP method',
      route: "the route's pattern, `none` when there is no such route",
      status: 'the HTTP status',
    },
  },
  errors: {
    name: 'mostrador_http_errors_total',
    type: 'counter',
    help: 'Responses with an error, by its code.',
    labels: { method: 'the HTTP method', route: "the route's pattern", code: 'a code of the errors page' },
  },
} as const satisfies Record<string, MetricDefinition>;

/**
 * Writes one log line and one observation for every response. Probes are counted but not logged. The line has the
 * error's code, and is a warning from status 500 on. Both name the route's pattern, never the URL: a URL may contain a
 * secret (that of a calendar feed), and each URL would be a new label in the metrics.
 */
export function addAccessLog(app: FastifyInstance, options: { log: Log; metrics: Metrics }): void {
  const { log, metrics } = options;
  const duration = histogram(metrics, httpMetrics.duration);
  const errors = counter(metrics, httpMetrics.errors);
  app.decorateRequest('workedMs', null);
  app.addHook('onResponse', (request, reply, done) => {
    const durationMs = request.workedMs ?? reply.elapsedTime;
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const { method } = request;
    const status = reply.statusCode;
    duration.observe({ method, route, status }, durationMs / 1000);
    if (request.failure) errors.inc({ method, route, code: request.failure });
    if (!probePaths.has(route)) {
      log[request.isHeldRejection ? 'debug' : status < 500 ? 'info' : 'warn'](
        {
          request_id: request.id,
          method,
          route,
          status,
          ...(request.failure && { code: request.failure }),
          duration_ms: Math.round(durationMs * 10) / 10,
          ...(request.workedMs !== null && { waited_ms: Math.round(reply.elapsedTime - durationMs) }),
          ...(request.access && callerOf(request.access)),
        },
        'http request',
      );
    }
    done();
  });
}

/** The id of a session is not secret, and names no person without the database. */
const callerOf = ({ storeId, callerId, person }: Caller) => ({
  store_id: storeId,
  [person ? 'session_id' : 'key_id']: callerId,
});
