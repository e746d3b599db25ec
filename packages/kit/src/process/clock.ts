import { Gauge } from 'prom-client';
import { type Check, NotReady } from './health.ts';
import type { Metrics } from './metrics.ts';

type Clock = { clockSkewMs(): Promise<number> };

/** Deadlines are absolute, so a process whose clock differs by more takes its requests for late, or runs late ones. */
const greatestSkewMs = 2_000;

/** Throws when the clock of this process and PostgreSQL's differ by more than 2 s. An unknown skew is no fault. */
export function clockCheck(database: Clock): Check {
  return async () => {
    // The check of PostgreSQL itself reports that it cannot be reached.
    const skewMs = await database.clockSkewMs().catch(() => 0);
    if (Math.abs(skewMs) <= greatestSkewMs) return;
    throw new NotReady("The clock differs by more than 2 s from PostgreSQL's: synchronize the clocks of both hosts.", {
      cause: new Error(`the clock is ${Math.round(skewMs)} ms ahead`),
    });
  };
}

/** Exports the skew as a gauge, NaN while it is unknown. */
export function exportClockSkew({ registry }: Metrics, database: Clock): void {
  new Gauge({
    name: 'mostrador_clock_skew_seconds',
    help: "How far the clock of this process is ahead of PostgreSQL's. Beyond 2 s it is not ready.",
    registers: [registry],
    async collect() {
      this.set((await database.clockSkewMs().catch(() => Number.NaN)) / 1000);
    },
  });
}
