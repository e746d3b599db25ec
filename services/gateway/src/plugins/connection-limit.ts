import type { Socket } from 'node:net';
import { gauge, type MetricDefinition, type Metrics } from '@mostrador/kit/process/metrics';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import { probePaths } from './probes.ts';

/** The number of connections above the limit that get a response. Further ones are closed at once. */
const surplusConnections = 100;

export const connectionMetrics = {
  open: { name: 'mostrador_http_connections', type: 'gauge', help: 'Open HTTP connections.' },
  limit: {
    name: 'mostrador_http_connections_limit',
    type: 'gauge',
    help: 'The open connections above which a further one gets 503: `MAX_CONNECTIONS`.',
  },
} as const satisfies Record<string, MetricDefinition>;

/**
 * Limits the open connections, because each one may hold a large response that its client does not read. A connection
 * above the limit gets 503 for its first request and is closed. Probes work on it, because the process is healthy.
 */
export function addConnectionLimit(app: FastifyInstance, options: { maximum: number; metrics: Metrics }): void {
  const { maximum, metrics } = options;
  const surplus = new WeakSet<Socket>();
  let open = 0;
  gauge(metrics, connectionMetrics.open, (each) => each.set(open));
  gauge(metrics, connectionMetrics.limit).set(maximum);
  app.server.maxConnections = maximum + surplusConnections;
  app.server.on('connection', (socket) => {
    open += 1;
    if (open > maximum) surplus.add(socket);
    socket.once('close', () => {
      open -= 1;
    });
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!surplus.has(request.raw.socket) || probePaths.has(request.routeOptions.url ?? '')) return done();
    reply.header('connection', 'close');
    const detail = 'The gateway has too many connections. Retry after `Retry-After` seconds.';
    done(new AppError('service_unavailable', { detail, retryAfterSeconds: 1 }));
  });
}
