import { collectGarbageWhenIdle } from './collect-garbage.ts';
import { createLog, type Log } from './log.ts';
import { startTracing, type TracingConfig } from './start-tracing.ts';
import type { Tracing } from './tracing.ts';

/** What a starting process receives. */
export type RunningProcess = {
  readonly log: Log;
  /** Undefined: the process makes no traces. */
  readonly tracing?: Tracing | undefined;
  /** Registers a part to stop. The part that was registered last stops first. */
  onStop(name: string, stop: () => Promise<void>): void;
};

export type RunOptions = {
  readonly config: {
    readonly LOG_LEVEL: string;
    readonly LOG_FORMAT?: 'json' | 'pretty';
    readonly SHUTDOWN_TIMEOUT_MS: number;
  } & TracingConfig;
};

/** A second signal within this time is a duplicate: npm forwards Ctrl-C to a child that has already received it. */
const sameSignalMs = 1_000;
/** How long a stopping process sends its last traces: this long, and at most a quarter of its time. */
const lastTracesMs = 2_000;

/**
 * Runs a process: starts it, and on SIGTERM or SIGINT stops it in reverse order within `SHUTDOWN_TIMEOUT_MS`.
 * Exit codes: 0 stopped in order; 1 did not start, crashed, or did not stop in order in time; 130 forced by a second
 * signal. A part that fails to stop does not keep the others from stopping.
 */
export function run(service: string, start: (running: RunningProcess) => Promise<void>, { config }: RunOptions): void {
  let tracing: Tracing | undefined;
  const log = createLog({
    ...{ service, level: config.LOG_LEVEL, format: config.LOG_FORMAT },
    mixin: config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? undefined : () => ({ ...tracing?.current()?.ids }),
  });
  const stops: { name: string; stop: () => Promise<void> }[] = [];
  let stoppingSinceMs: number | undefined;

  const stopAll = async (): Promise<boolean> => {
    let inOrder = true;
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) {
      const { name, stop } = next;
      log.debug({ part: name }, 'stopping');
      try {
        await stop();
      } catch (error) {
        inOrder = false;
        log.error({ err: error, part: name }, 'a part failed to stop');
      }
    }
    return inOrder;
  };

  const shutDown = async (exitCode: number) => {
    stoppingSinceMs = performance.now();
    setTimeout(() => {
      log.error({ timeout_ms: config.SHUTDOWN_TIMEOUT_MS }, 'did not stop in time');
      process.exit(1);
    }, config.SHUTDOWN_TIMEOUT_MS);
    const inOrder = await stopAll();
    log.info('stopped');
    process.exit(inOrder ? exitCode : 1);
  };

  const onSignal = (signal: NodeJS.Signals) => {
    if (stoppingSinceMs === undefined) {
      log.info({ signal }, 'stopping');
      void shutDown(0);
    } else if (performance.now() - stoppingSinceMs > sameSignalMs) {
      log.warn({ signal }, 'stopped by a second signal');
      process.exit(130);
    }
  };
  const onCrash = (error: unknown) => {
    log.fatal({ err: error }, 'crashed');
    process.exit(1);
  };

  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);

  const startAll = async () => {
    tracing = await startTracing(service, config, log);
    const started = tracing;
    if (started) {
      const limitMs = Math.min(lastTracesMs, config.SHUTDOWN_TIMEOUT_MS / 4);
      stops.push({ name: 'traces', stop: () => started.stop(limitMs) });
    }
    await start({ log, tracing, onStop: (name, stop) => stops.push({ name, stop }) });
  };

  startAll().then(
    () => {
      if (stoppingSinceMs !== undefined) return;
      log.info('started');
      collectGarbageWhenIdle();
    },
    (error) => {
      if (stoppingSinceMs !== undefined) return;
      log.fatal({ err: error }, 'did not start');
      void shutDown(1);
    },
  );
}
