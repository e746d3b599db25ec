import type { SystemDatabase, TransactionSql } from '../database/database.ts';
import { appendOutbox, type OutboxEntry, type Relay } from './outbox.ts';

const overdueMs = 30_000;
// A workflow that was woken and cannot go on is left alone for this long.
const againMs = 5 * 60_000;
const batch = 500;
const runLimitMs = 10_000;

/** Which rows to take: overdue by so much, not taken before within `againMs`, and at most `limit` of them. */
export type OverdueOptions = { readonly overdueMs: number; readonly againMs: number; readonly limit: number };

/**
 * The second way to a workflow: wakes those of rows that nobody has looked at although their time has come, so that one
 * that was terminated, or lost with Temporal's database, begins anew. `take` marks the rows that it returns, so that two
 * sweeps at once get different ones. Returns how many it woke.
 */
export async function wakeOverdue<Row extends { readonly store_id: string }>(
  options: {
    readonly systemDatabase: SystemDatabase;
    readonly relay: Pick<Relay, 'backlog' | 'nudge'>;
    readonly take: (sql: TransactionSql, options: OverdueOptions) => Promise<Row[]>;
    readonly wakeUpOf: (row: Row) => OutboxEntry;
  },
  signal: AbortSignal,
): Promise<number> {
  const { systemDatabase, relay, take, wakeUpOf } = options;
  // Wake-ups that cannot be delivered, for Temporal is down, are on their way already.
  if ((await relay.backlog()) >= batch) return 0;
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
