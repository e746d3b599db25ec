import type { Sql, SystemDatabase, TransactionSql } from '../database/database.ts';
import { appendOutbox, type OutboxEntry } from '../outbox/outbox.ts';
import type { Relay } from '../outbox/relay.ts';
import type { LeaderGauges, Reading } from '../process/leader-gauges.ts';
import type { Log } from '../process/log.ts';
import type { MetricDefinition } from '../process/metrics.ts';
import { type Periodic, periodically } from '../process/periodic.ts';

const everyMs = 10_000;
const overdueMs = 30_000;
/** A woken workflow that makes no progress is not woken again for this long. */
const againMs = 5 * 60_000;
const batch = 500;
const runLimitMs = 10_000;
const readLimitMs = 2_000;
const mostCounted = 10_000;

/** Which rows to take: overdue by `overdueMs`, not taken within the last `againMs`, at most `limit`. */
export type OverdueOptions = { readonly overdueMs: number; readonly againMs: number; readonly limit: number };

/** Which rows to count: overdue by `overdueMs`, at most `limit`. */
export type CountOptions = Pick<OverdueOptions, 'overdueMs' | 'limit'>;

/** The rows of one kind of entity. */
export type OverdueRows<Row extends { readonly store_id: string }> = {
  /** For the log, such as `calendar syncs`. */
  readonly name: string;
  /** Returns overdue rows and marks them as taken, so that two concurrent sweeps get different rows. */
  readonly take: (sql: TransactionSql, options: OverdueOptions) => Promise<Row[]>;
  /** Counts overdue rows, whether they were taken or not. */
  readonly count: (sql: Sql, options: CountOptions) => Promise<number>;
  /** For how many seconds the row that is overdue the longest has been due. 0: none is overdue. */
  readonly longest: (sql: Sql, overdueMs: number) => Promise<number>;
  readonly wakeUpOf: (row: Row) => OutboxEntry;
};

type SweepDependencies = {
  readonly systemDatabase: SystemDatabase;
  readonly relay: Pick<Relay, 'isBehind' | 'nudge'>;
};

/**
 * The sweep: wakes the workflows of due rows that no step has handled. So a workflow that was terminated, or lost with
 * Temporal's database, starts again. Returns how many workflows it woke.
 */
export async function wakeOverdue<Row extends { readonly store_id: string }>(
  { take, wakeUpOf, systemDatabase, relay }: Omit<OverdueRows<Row>, 'count' | 'longest'> & SweepDependencies,
  signal: AbortSignal,
): Promise<number> {
  // While Temporal is down, the wake-ups already wait in the outbox.
  if (await relay.isBehind()) return 0;
  let woken = 0;
  for (;;) {
    const taken = await systemDatabase.write({ deadline: Date.now() + runLimitMs }, async (sql) => {
      const overdue = await take(sql, { overdueMs, againMs, limit: batch });
      for (const [storeId, rows] of Map.groupBy(overdue, (row) => row.store_id)) {
        await appendOutbox(sql, storeId, rows.map(wakeUpOf));
      }
      return overdue.length;
    });
    woken += taken;
    if (taken > 0) relay.nudge();
    if (taken < batch || signal.aborted) return woken;
  }
}

/** Runs `wakeOverdue` every 10 s, and logs how many workflows it woke. */
export function overdueJob<Row extends { readonly store_id: string }>(
  options: OverdueRows<Row> & SweepDependencies & { readonly log: Log },
): Periodic {
  const { name, log } = options;
  return periodically({
    name: `overdue ${name}`,
    everyMs,
    log,
    run: async (signal) => {
      const woken = await wakeOverdue(options, signal);
      if (woken > 0) log.warn({ woken, rows: name }, 'overdue workflows were woken');
    },
  });
}

/** Counts the rows of one kind that are overdue now. */
export const countOverdue = <Row extends { readonly store_id: string }>({
  count,
  systemDatabase,
}: Pick<OverdueRows<Row>, 'count'> & Pick<SweepDependencies, 'systemDatabase'>): Promise<number> =>
  systemDatabase.read({ deadline: Date.now() + readLimitMs }, (sql) => count(sql, { overdueMs, limit: mostCounted }));

export const overdueMetrics = {
  rows: {
    name: 'mostrador_overdue_rows',
    type: 'gauge',
    help: 'Rows that have been due for 30 s without a step, at most 10,000. More than 0 for minutes: no worker takes steps.',
    labels: {
      rows: '`deliveries`, `calendar syncs`, `calendar watches`, `follow-ups`, `AI turns`, `webhook endpoints`',
    },
    once: true,
  },
  longest: {
    name: 'mostrador_overdue_seconds',
    type: 'gauge',
    help: 'For how long the longest overdue row has been due, such as a late follow-up. 0: none is overdue.',
    labels: {
      rows: '`deliveries`, `calendar syncs`, `calendar watches`, `follow-ups`, `AI turns`, `webhook endpoints`',
    },
    once: true,
  },
} as const satisfies Record<string, MetricDefinition>;

/** How many rows of each kind are overdue, and for how long. A kind that cannot be read is left out. */
export const overdueGauges = (
  systemDatabase: SystemDatabase,
  kinds: readonly Pick<OverdueRows<never>, 'name' | 'count' | 'longest'>[],
): LeaderGauges => ({
  metrics: Object.values(overdueMetrics),
  async read() {
    const ofEach = kinds.map(async ({ name, count, longest }): Promise<Reading[]> => {
      const labels = { rows: name };
      try {
        const seconds = await systemDatabase.read({ deadline: Date.now() + readLimitMs }, (sql) =>
          longest(sql, overdueMs),
        );
        return [
          { metric: overdueMetrics.rows, labels, value: await countOverdue({ count, systemDatabase }) },
          { metric: overdueMetrics.longest, labels, value: seconds },
        ];
      } catch {
        return [];
      }
    });
    return (await Promise.all(ofEach)).flat();
  },
});
