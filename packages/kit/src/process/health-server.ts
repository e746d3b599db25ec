import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from './build.ts';
import type { Health } from './health.ts';
import { gauge, type MetricDefinition, type Metrics, type Registered } from './metrics.ts';

export const dependencyUp = {
  name: 'mostrador_dependency_up',
  type: 'gauge',
  help: '1: the last check of the dependency passed. 0: it failed, and `/readyz` says why.',
  labels: { dependency: 'a check of `/readyz`' },
} as const satisfies MetricDefinition;

export const processReady = {
  name: 'mostrador_ready',
  type: 'gauge',
  help: '1: the process takes requests. 0: it takes none, and `/readyz` says why.',
} as const satisfies MetricDefinition;

/** Exports the states that the last checks found. A scrape runs no check. */
export function exportHealth(metrics: Registered, health: Pick<Health, 'last'>): void {
  gauge(metrics, processReady, (each) => each.set(health.last()?.ready === true ? 1 : 0));
  gauge(metrics, dependencyUp, (each) => {
    for (const [dependency, { state }] of Object.entries(health.last()?.dependencies ?? {})) {
      each.set({ dependency }, state === 'up' ? 1 : 0);
    }
  });
}

type Page = { readonly status: number; readonly type: string; readonly text: string };
const notFound: Page = { status: 404, type: 'text/plain', text: 'not found\n' };
/** For example when a metric cannot be collected: a probe must not end the process. */
const failed: Page = { status: 500, type: 'text/plain', text: 'failed\n' };

export type HealthServerOptions = {
  readonly host: string;
  /** Of `/healthz` and `/readyz`. 0: any free port. Undefined: there is no such listener. */
  readonly port?: number | undefined;
  /** Of `/metrics`, and of the others too. Undefined: `/metrics` is at `port`. The same port: one listener has all. */
  readonly metricsPort?: number | undefined;
  readonly health: Health;
  readonly metrics: Metrics;
  /** What `/readyz` also shows. */
  readonly warnings?: () => readonly string[];
};

export type HealthServer = {
  /** The ports in use. */
  readonly port: number | undefined;
  readonly metricsPort: number | undefined;
  close(): Promise<void>;
};

/**
 * Serves `/healthz`, `/readyz` (503 when not ready), `/version` and `/metrics` over HTTP, on listeners of their own: they show more than
 * clients of the platform should see.
 *
 * @throws Error that names the port and the variables when it is taken
 */
export async function serveHealth(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port, metricsPort, health, metrics, warnings = () => [] } = options;
  const json = (status: number, body: object): Page => ({
    ...{ status, type: 'application/json' },
    text: JSON.stringify(body),
  });
  const probes: Pages = {
    '/healthz': async () => json(200, health.live()),
    '/readyz': async () => {
      const readiness = await health.ready();
      const warned = warnings();
      return json(readiness.ready ? 200 : 503, { ...readiness, ...(warned.length > 0 && { warnings: warned }) });
    },
    '/version': async () => json(200, build()),
  };
  const all: Pages = {
    ...probes,
    '/metrics': async () => ({ status: 200, type: metrics.contentType, text: await metrics.text() }),
  };
  const isOne = metricsPort === undefined || (metricsPort === port && port !== 0);
  const first = port === undefined ? undefined : await listen({ host, port, pages: isOne ? all : probes });
  const second =
    metricsPort === undefined || (isOne && first)
      ? undefined
      : await listen({ host, port: metricsPort, pages: all }).catch(async (error) => {
          await first?.close();
          throw error;
        });
  return {
    port: first?.port,
    metricsPort: second?.port ?? first?.port,
    close: async () => void (await Promise.all([first?.close(), second?.close()])),
  };
}

type Pages = Readonly<Record<string, () => Promise<Page>>>;

async function listen(options: { host: string; port: number; pages: Pages }) {
  const { host, port, pages } = options;
  const answer = async ({ url = '', method }: IncomingMessage): Promise<Page> => {
    const path = url.split('?', 1)[0] ?? '';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (page === undefined || (method !== 'GET' && method !== 'HEAD')) return notFound;
    return page();
  };
  const server = createServer(async (request, response) => {
    const { status, type, text } = await answer(request).catch(() => failed);
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') reject(error);
      else reject(new Error(`port ${port} is taken; set HEALTH_PORT or METRICS_PORT to another`, { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
