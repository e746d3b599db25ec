import { build } from '@mostrador/kit/process/build';
import type { Health } from '@mostrador/kit/process/health';
import type { Metrics } from '@mostrador/kit/process/metrics';
import type { FastifyInstance } from 'fastify';
import type { Warnings } from './proxy-watch.ts';

/** The paths that probes request every few seconds. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/version', '/metrics']);

/**
 * `/healthz` (the process lives), `/readyz` (each dependency; 503 when requests cannot be served), `/version`, `/metrics`.
 * Everyone can ask for the version. Its API document and its guides tell the release anyway; the revision tells more.
 */
export function addProbes(
  app: FastifyInstance,
  { health, metrics, warnings }: { health: Health; metrics: Metrics; warnings: Warnings },
): void {
  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send(health.live()));
  app.get('/readyz', async (_request, reply) => {
    const readiness = await health.ready();
    const warned = warnings();
    return reply
      .code(readiness.ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ ...readiness, ...(warned.length > 0 && { warnings: warned }) });
  });
  const { version } = build();
  app.get('/version', async (_request, reply) => reply.header('cache-control', 'no-store').send({ version }));
  app.get('/metrics', async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(metrics.contentType)
      .send(await metrics.text()),
  );
}
