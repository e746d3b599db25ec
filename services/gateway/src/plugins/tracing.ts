import type { Span, Tracing } from '@mostrador/kit/process/tracing';
import type { FastifyInstance } from 'fastify';
import { probePaths } from './probes.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyRequest {
    /** Null: the request is in no trace that is recorded. */
    span: Span | null;
  }
}

/**
 * Gives sampled requests a span, from arrival to the end of the response. Like the access log it names the route's
 * pattern, never the URL.
 *
 * A caller's `traceparent` gives the trace its ids, so that both find it. Whether the trace is recorded, the gateway
 * decides by chance alone: neither the caller's flag nor its choice of the id changes that, unless a trusted proxy sets
 * the header.
 */
export function addTracing(
  app: FastifyInstance,
  { tracing, trusted }: { tracing: Tracing | undefined; trusted: boolean },
): void {
  app.decorateRequest('span', null);
  if (!tracing) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    if (probePaths.has(route)) return done();
    const { method } = request;
    const { traceparent } = request.headers;
    const span = tracing.begin('server', `${method} ${route}`, {
      ...(typeof traceparent === 'string' && { caller: { traceparent, trusted } }),
      attributes: () => ({
        ...{ 'http.request.method': method, 'http.route': route },
        'mostrador.request_id': request.id,
      }),
    });
    request.span = span ?? null;
    return tracing.within(span, done);
  });
  // A body arrives in events of its connection, which belong to no request.
  app.addHook('preHandler', (request, _reply, done) => tracing.within(request.span ?? undefined, done));
  app.addHook('onResponse', (request, reply, done) => {
    const { span, failure, access } = request;
    span?.set({ 'http.response.status_code': reply.statusCode, 'mostrador.store_id': access?.storeId });
    span?.end(failure ?? undefined);
    return tracing.within(span ?? undefined, done);
  });
}
