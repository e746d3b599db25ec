import { build } from '@mostrador/kit/process/build';
import type { Health } from '@mostrador/kit/process/health';
import type { FastifyInstance } from 'fastify';

/** The paths that probes request every few seconds. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/version']);

/**
 * `/healthz` (the process lives), `/readyz` (each dependency's state; 503 when requests cannot be served) and `/version`.
 * Everyone can ask, so what is wrong with a dependency is only at METRICS_PORT, and so are the metrics. The API document
 * and the guides tell the release anyway; the revision tells more.
 */
export function addProbes(app: FastifyInstance, { health }: { health: Health }): void {
  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send(health.live()));
  app.get('/readyz', async (_request, reply) => {
    const { ready, dependencies } = await health.ready();
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({
        ready,
        dependencies: Object.fromEntries(Object.entries(dependencies).map(([name, { state }]) => [name, { state }])),
      });
  });
  const { version } = build();
  app.get('/version', async (_request, reply) => reply.header('cache-control', 'no-store').send({ version }));
}
