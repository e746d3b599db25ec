import type { Log } from './log.ts';

/** A job that runs periodically. */
export type Periodic = { start(): void; stop(): Promise<void> };

export type PeriodicOptions = {
  readonly name: string;
  /** From the end of one run to the start of the next, plus or minus 10 %. A function is asked after each run. */
  readonly everyMs: number | (() => number);
  readonly log: Log;
  /** One run. `signal` is aborted when the process stops. */
  readonly run: (signal: AbortSignal) => Promise<void>;
};

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
    timer = setTimeout(pass, pauseMs * (0.9 + Math.random() * 0.2));
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
