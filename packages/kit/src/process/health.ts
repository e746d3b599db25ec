import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type Periodic, periodically } from './periodic.ts';

/** Throws when the dependency cannot be used. */
export type Check = () => Promise<void>;

/** What is wrong with a dependency, then what to do. The text is public: it contains no addresses and no secrets. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** The dependency does not answer now, which says nothing about the settings. The text is public, as that of `NotReady`. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const isPublic = (cause: unknown): cause is Error => cause instanceof NotReady || cause instanceof NoAnswer;

/** A dependency's state. `detail` is public, so it reveals no addresses and no errors. */
export type DependencyState = { readonly state: 'up' | 'down'; readonly detail?: string };

export type Readiness = { readonly ready: boolean; readonly dependencies: Readonly<Record<string, DependencyState>> };

export type Health = {
  /** The process is alive. */
  live(): { readonly status: 'ok' };
  /** Whether requests can be served: every required dependency is up, and the process is not shutting down. */
  ready(): Promise<Readiness>;
  /** Since when the dependency has been down. Undefined: it is up, or was not checked yet. */
  downSince(name: string): Date | undefined;
  /** Makes the process not ready, so that it gets no more requests. */
  drain(): void;
  /** Whether `drain` was called. */
  isDraining(): boolean;
};

export type HealthOptions = {
  /** The process is not ready without these. */
  readonly required: Readonly<Record<string, Check>>;
  /** Only shown: the process is ready without them. */
  readonly informative?: Readonly<Record<string, Check>>;
  readonly log?: Log;
  /** A check that takes longer has failed. Default 1,000. */
  readonly checkTimeoutMs?: number;
  /** The failed checks in a row after which a required dependency that was up makes the process unready. Default 1. */
  readonly failuresUntilUnready?: number;
  /** How long an answer is reused, so that probes are cheap; a fifth of it while not ready. Default 500. */
  readonly cacheMs?: number;
  /** Gets every answer before `ready` returns it. When it throws, the process is not ready. */
  readonly onReadiness?: (ready: boolean) => Promise<void>;
};

/** The health of a process, from its dependencies. Each change of a dependency, or of its reason, is logged once. */
export function createHealth(options: HealthOptions): Health {
  const { required, informative = {}, log, checkTimeoutMs = 1_000, cacheMs = 500 } = options;
  const { failuresUntilUnready = 1, onReadiness = async () => {} } = options;
  const checks = { ...required, ...informative };
  const lastStates = new Map<string, DependencyState>();
  const downSince = new Map<string, Date>();
  let wasReady = false;
  /** Failed checks in a row, of each dependency that was up once. */
  const failures = new Map<string, number>();
  let draining = false;
  let last: { endedAtMs: number; readonly readiness: Promise<Readiness> } | undefined;

  const check = async (name: string, run: Check): Promise<[string, DependencyState]> => {
    const state = await checkWithin(run, checkTimeoutMs);
    const before = lastStates.get(name);
    lastStates.set(name, state);
    if (state.state === 'up') downSince.delete(name);
    else if (!downSince.has(name)) downSince.set(name, new Date());
    if (state.state === 'up') failures.set(name, 0);
    else if (failures.has(name)) failures.set(name, (failures.get(name) ?? 0) + 1);
    if (state.state === 'down' && before?.detail !== state.detail) {
      log?.warn({ dependency: name, detail: state.detail, err: state.cause }, 'dependency down');
    }
    if (state.state === 'up' && before?.state === 'down') log?.info({ dependency: name }, 'dependency up again');
    return [name, { state: state.state, ...(state.detail === undefined ? {} : { detail: state.detail }) }];
  };
  const checkAll = async (): Promise<Readiness> => {
    const dependencies = Object.fromEntries(
      await Promise.all(Object.entries(checks).map(([name, run]) => check(name, run))),
    );
    const unusable = Object.keys(required).filter(
      (name) => (failures.get(name) ?? failuresUntilUnready) >= failuresUntilUnready,
    );
    return { ready: await follow(unusable, dependencies), dependencies };
  };
  const follow = async (unusable: string[], dependencies: Readiness['dependencies']): Promise<boolean> => {
    const ready = unusable.length === 0;
    if (wasReady && !ready) {
      const reasons = Object.fromEntries(unusable.map((name) => [name, dependencies[name]?.detail]));
      log?.warn({ reasons }, 'not ready: takes no requests');
    }
    if (ready && !wasReady) log?.info('ready: takes requests');
    wasReady = ready;
    try {
      await onReadiness(ready);
      return ready;
    } catch (error) {
      log?.error({ err: error, ready }, 'a change of the readiness could not be carried out');
      return false;
    }
  };

  return {
    live: () => ({ status: 'ok' }),
    async ready() {
      if (last === undefined || performance.now() - last.endedAtMs >= (wasReady ? cacheMs : cacheMs / 5)) {
        const current = { endedAtMs: Number.POSITIVE_INFINITY, readiness: checkAll() };
        current.readiness.finally(() => {
          current.endedAtMs = performance.now();
        });
        last = current;
      }
      const readiness = await last.readiness;
      return draining ? { ...readiness, ready: false } : readiness;
    },
    downSince: (name) => downSince.get(name),
    drain() {
      draining = true;
    },
    isDraining: () => draining,
  };
}

/**
 * A check that is not repeated once it has passed. An error that is no `NotReady` proves nothing, for example because a
 * server does not answer: the check of that server reports it.
 */
export function untilPassed(check: Check): Check {
  let running: Promise<void> | undefined;
  return () => {
    running ??= check().catch((error) => {
      running = undefined;
      if (error instanceof NotReady) throw error;
    });
    return running;
  };
}

/** Checks at once and then every second, so that `onReadiness` gets a change without a probe. */
export function watchReadiness(health: Health, log: Log): Periodic {
  const check = async () => void (await health.ready());
  const { start, stop } = periodically({ name: 'readiness', everyMs: 1_000, log, run: check });
  return {
    start() {
      void check();
      start();
    },
    stop,
  };
}

type Checked = DependencyState & { readonly cause?: unknown };

async function checkWithin(run: Check, timeoutMs: number): Promise<Checked> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Checked>((resolve) => {
    timer = setTimeout(() => resolve({ state: 'down', detail: `no answer within ${timeoutMs} ms` }), timeoutMs);
  });
  const checked = (async (): Promise<Checked> => {
    try {
      await run();
      return { state: 'up' };
    } catch (cause) {
      return { state: 'down', detail: isPublic(cause) ? cause.message : 'the check failed', cause };
    }
  })();
  try {
    return await Promise.race([checked, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Page = { readonly status: number; readonly type: string; readonly text: string };
const notFound: Page = { status: 404, type: 'text/plain', text: 'not found\n' };
/** For example when a metric cannot be collected: a probe must not end the process. */
const failed: Page = { status: 500, type: 'text/plain', text: 'failed\n' };

export type HealthServerOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly health: Health;
  readonly metrics: Metrics;
};

/** Serves `/healthz`, `/readyz` (503 when not ready) and `/metrics` over HTTP. */
export async function serveHealth(options: HealthServerOptions): Promise<{ port: number; close(): Promise<void> }> {
  const { host, port, health, metrics } = options;
  const pages = new Map<string, () => Promise<Page>>([
    ['/healthz', async () => ({ status: 200, type: 'application/json', text: JSON.stringify(health.live()) })],
    [
      '/readyz',
      async () => {
        const readiness = await health.ready();
        return { status: readiness.ready ? 200 : 503, type: 'application/json', text: JSON.stringify(readiness) };
      },
    ],
    ['/metrics', async () => ({ status: 200, type: metrics.contentType, text: await metrics.text() })],
  ]);
  const answer = async ({ url = '', method }: IncomingMessage): Promise<Page> => {
    const page = pages.get(url.split('?', 1)[0] ?? '');
    if (page === undefined || (method !== 'GET' && method !== 'HEAD')) return notFound;
    return page();
  };
  const server = createServer(async (request, response) => {
    const { status, type, text } = await answer(request).catch(() => failed);
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
