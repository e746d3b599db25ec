import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from './log.ts';
import { gauge, type MetricDefinition, type Registered } from './metrics.ts';
import { type Periodic, periodically } from './periodic.ts';

export type GaugeDefinition = MetricDefinition & { readonly type: 'gauge'; readonly once: true };

/** A value of a gauge. */
export type Reading = {
  readonly metric: GaugeDefinition;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
};

/**
 * Gauges about what all processes of a service share, such as the rows of all stores. Its leader reads them when it is
 * scraped, and exports them, so their sum over the processes is right.
 */
export type LeaderGauges = {
  readonly metrics: readonly GaugeDefinition[];
  /** What was not read is not exported. When it throws, none of `metrics` is. */
  readonly read: () => Promise<readonly Reading[]>;
  /** What the leader does every 5 s, scraped or not. */
  readonly watch?: () => Promise<void>;
};

export const leader = {
  name: 'mostrador_leader',
  type: 'gauge',
  help: '1: this process exports the gauges of its service that are exported once. 0: another process does.',
} as const satisfies MetricDefinition;

/** Scrapes within this time get the same values. */
const freshForMs = 4_000;
/** A scrape waits this long for a reading. Then it gets the values of the last one. */
const longestWaitMs = 1_000;
const watchEveryMs = 5_000;

/** Reads the gauges at a scrape while this process leads, and has no values for them while it does not. */
export function exportOnLeader(options: {
  readonly metrics: Registered;
  readonly groups: readonly LeaderGauges[];
  /** Whether this process leads. It is asked before each reading; an error means no. */
  readonly leads: () => Promise<boolean>;
  readonly log: Log;
}): Periodic {
  const { metrics, groups, leads, log } = options;
  let isLeader = false;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  const failed = (error: unknown) => void log.debug({ err: error }, 'gauges not read');
  const readAll = async () => {
    readAtMs = performance.now();
    isLeader = await leads().catch(() => false);
    for (const { gauges, read } of exported) {
      const readings = isLeader ? await read().catch(failed) : [];
      for (const each of gauges.values()) clear(each);
      for (const { metric, labels = {}, value } of readings ?? []) gauges.get(metric)?.set(labels, value);
    }
  };
  /** One reading for all gauges of a scrape. */
  const refresh = async (): Promise<void> => {
    if (performance.now() - readAtMs >= freshForMs) {
      reading ??= readAll().finally(() => {
        reading = undefined;
      });
    }
    if (reading) await Promise.race([reading, pause(longestWaitMs, undefined, { ref: false })]);
  };

  gauge(metrics, leader, async (each) => {
    await refresh();
    each.set(isLeader ? 1 : 0);
  });
  const exported = groups.map(({ metrics: definitions, read }) => ({
    gauges: new Map(definitions.map((definition) => [definition, gauge(metrics, definition, refresh)])),
    read,
  }));
  for (const { gauges } of exported) for (const each of gauges.values()) clear(each);

  const watches = groups.flatMap(({ watch }) => watch ?? []);
  const watch = async () => {
    isLeader = await leads().catch(() => false);
    if (isLeader) await Promise.all(watches.map((each) => each().catch(failed)));
  };
  const { start, stop } = periodically({ name: 'watch of the leader', everyMs: watchEveryMs, log, run: watch });
  return {
    start() {
      if (watches.length > 0) start();
    },
    async stop() {
      await stop();
      await reading;
    },
  };
}

/** Removes all values. `reset` would set a gauge without labels to 0, which is a value. */
function clear(each: ReturnType<typeof gauge>): void {
  each.reset();
  each.remove({});
}
