import type { Socket } from 'node:net';
import type { Metrics } from '@mostrador/kit/process/metrics';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import { Gauge } from 'prom-client';
import { probePaths } from './probes.ts';

/** The number of connections above the limit that get a response. Further ones are closed at once. */
const surplusConnections = 100;

/**
 * Limits the open connections, because each one may hold a large response that its client does not read. A connection
 * above the limit gets 503 for its first request and is closed. Probes work on it, because the process is healthy.
 */
export function addConnectionLimit(app: FastifyInstance, options: { maximum: number; metrics: Metrics }): void {
  const { maximum, metrics } = options;
  const surplus = new WeakSet<Socket>();
  let open = 0;
  new Gauge({
    name: 'mostrador_http_connections',
    help: 'Open HTTP connections.',
    registers: [metrics.registry],
    collect() {
      this.set(open);
    },
  });
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
