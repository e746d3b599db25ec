import type { Log } from './log.ts';
import { gauge, type MetricDefinition, type Registered } from './metrics.ts';
import { type Periodic, periodically } from './periodic.ts';

type GaugeDefinition = MetricDefinition & { readonly type: 'gauge'; readonly once: true };

/** A value of a gauge. */
export type Reading = {
  readonly metric: GaugeDefinition;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
};

/**
 * Gauges about what all processes of a service share, such as the rows of all stores. Its leader reads them every 5 s and
 * exports them, so a scrape reads nothing, and their sum over the processes is right.
 */
export type LeaderGauges = {
  readonly metrics: readonly GaugeDefinition[];
  /** What was not read is not exported. When it throws, none of `metrics` is. */
  readonly read: () => Promise<readonly Reading[]>;
};

export const leader = {
  name: 'mostrador_leader',
  type: 'gauge',
  help: '1: this process exports the gauges of its service that are exported once. 0: another process does.',
} as const satisfies MetricDefinition;

const everyMs = 5_000;

/** Reads the gauges while this process leads, and has no values for them while it does not. */
export function exportOnLeader(options: {
  readonly metrics: Registered;
  readonly groups: readonly LeaderGauges[];
  /** Whether this process leads. It is asked before each reading; an error means no. */
  readonly leads: () => Promise<boolean>;
  readonly log: Log;
}): Periodic {
  const { metrics, groups, leads, log } = options;
  let isLeader = false;
  gauge(metrics, leader, (each) => each.set(isLeader ? 1 : 0));
  const exported = groups.map(({ metrics: definitions, read }) => ({
    gauges: new Map(definitions.map((definition) => [definition, gauge(metrics, definition)])),
    read,
  }));
  for (const { gauges } of exported) for (const each of gauges.values()) clear(each);

  const run = async () => {
    isLeader = await leads().catch(() => false);
    for (const { gauges, read } of exported) {
      const readings = isLeader ? await read().catch((error) => void log.debug({ err: error }, 'gauges not read')) : [];
      for (const each of gauges.values()) clear(each);
      for (const { metric, labels = {}, value } of readings ?? []) gauges.get(metric)?.set(labels, value);
    }
  };
  const { start, stop } = periodically({ name: 'gauges of the leader', everyMs, log, run });
  return {
    start() {
      void run().catch((error) => log.debug({ err: error }, 'gauges not read'));
      start();
    },
    stop,
  };
}

/** Removes all values. `reset` would set a gauge without labels to 0, which is a value. */
function clear(each: ReturnType<typeof gauge>): void {
  each.reset();
  each.remove({});
}
