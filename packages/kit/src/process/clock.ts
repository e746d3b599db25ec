import { type Check, NotReady } from './health.ts';
import { gauge, type MetricDefinition, type Registered } from './metrics.ts';

type Clock = { clockSkewMs(): Promise<number> };

/** The skew of the process's clock, as its check last found it. */
export type ClockWatch = {
  /** Throws when the clock of this process and PostgreSQL's differ by more than 2 s. An unknown skew is no fault. */
  readonly check: Check;
  /** Exports the skew, NaN while it is unknown. A scrape does not measure it. */
  exportTo(metrics: Registered): void;
};

/** Deadlines are absolute, so a process whose clock differs by more takes its requests for late, or runs late ones. */
const greatestSkewMs = 2_000;

export const clockSkew = {
  name: 'mostrador_clock_skew_seconds',
  type: 'gauge',
  help: "How far the clock of this process is ahead of PostgreSQL's. Beyond 2 s it is not ready.",
} as const satisfies MetricDefinition;

export function watchClock(database: Clock): ClockWatch {
  let skewMs = Number.NaN;
  return {
    async check() {
      // The check of PostgreSQL itself reports that it cannot be reached.
      skewMs = await database.clockSkewMs().catch(() => Number.NaN);
      if (!(Math.abs(skewMs) > greatestSkewMs)) return;
      throw new NotReady(
        "The clock differs by more than 2 s from PostgreSQL's: synchronize the clocks of both hosts.",
        {
          cause: new Error(`the clock is ${Math.round(skewMs)} ms ahead`),
        },
      );
    },
    exportTo: (metrics) => void gauge(metrics, clockSkew, (each) => each.set(skewMs / 1000)),
  };
}
