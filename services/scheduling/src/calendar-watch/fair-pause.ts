import { minuteMs } from '@mostrador/hours/local-days';
import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { countCalendars } from './watch.repository.ts';

/** The part of the quota for looking. Writing, and reading what has changed, need the rest. */
const partForLooks = 0.6;

/**
 * Milliseconds between two looks at a Google calendar, at least: when all of them are in use, looking stays within its part of
 * the quota of the OAuth project.
 */
export const fairPauseMs = (calendars: number, requestsPerMinute: number): number =>
  (calendars / (partForLooks * requestsPerMinute)) * minuteMs;

const readLimitMs = 10_000;

/** Follows how many Google calendars are connected to the platform. */
export function createFairPause({
  systemDatabase,
  log,
  requestsPerMinute,
}: {
  readonly systemDatabase: SystemDatabase;
  readonly log: Log;
  readonly requestsPerMinute: number;
}): { readonly pauseMs: () => number; readonly job: Periodic } {
  let pauseMs = 0;
  const job = periodically({
    name: 'google calendars',
    everyMs: minuteMs,
    log,
    run: async () => {
      const calendars = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, (sql) =>
        countCalendars(sql, 'google'),
      );
      pauseMs = fairPauseMs(calendars, requestsPerMinute);
    },
  });
  return { pauseMs: () => pauseMs, job };
}
