import type { Log } from './log.ts';

/** A job that runs periodically. */
export type Periodic = { start(): void; stop(): Promise<void> };

export type PeriodicOptions = {
  readonly name: string;
  /**
   * From the end of one run to the start of the next, plus or minus 10 % and half a second. Less than a second: 10 % only.
   * A function is asked after each run.
   */
  readonly everyMs: number | (() => number);
  readonly log: Log;
  /** One run. `signal` is aborted when the process stops. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

/** The jobs of a process run together, so that an idle one wakes once a second. Each process has another moment for it. */
const tickMs = 1_000;
const phaseMs = Math.random() * tickMs;

/** The time from `nowMs` to the tick that is next to the end of a pause. A pause shorter than a tick stays as it is. */
export function untilTick(pauseMs: number, nowMs: number, phase = phaseMs): number {
  if (pauseMs < 0.9 * tickMs) return pauseMs;
  const tick = Math.round((nowMs + pauseMs - phase) / tickMs) * tickMs + phase;
  return tick - nowMs;
}

/**
 * Runs a job periodically, never twice at once, with jitter so that several processes do not synchronise. A failed run
 * is logged, and the next one follows as usual. `stop` waits for the current run.
 */
export function periodically({ name, everyMs, log, run }: PeriodicOptions): Periodic {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const schedule = () => {
    if (abort.signal.aborted) return;
    const pauseMs = typeof everyMs === 'number' ? everyMs : everyMs();
    timer = setTimeout(pass, untilTick(pauseMs * (0.9 + Math.random() * 0.2), performance.now()));
  };
  const pass = () => {
    running = (async () => {
      try {
        await run(abort.signal);
      } catch (error) {
        if (!abort.signal.aborted) log.error({ err: error, job: name }, 'a periodic job failed');
      }
      running = undefined;
      schedule();
    })();
  };

  return {
    start() {
      if (timer === undefined) schedule();
    },
    async stop() {
      abort.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
