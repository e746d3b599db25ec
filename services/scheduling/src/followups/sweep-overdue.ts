import { appendOutbox, type Relay } from '@mostrador/kit/outbox';
import type { SystemDatabase } from '@mostrador/kit/postgres';
import { takeOverdueFollowups } from './followup.repository.ts';
import { wakeFollowup } from './followup.ts';

const overdueMs = 30_000;
// A workflow that was woken and cannot go on is left alone for this long.
const againMs = 5 * 60_000;
const batch = 500;
const runLimitMs = 10_000;

/**
 * Wakes the workflows of follow-ups that nobody has looked at although their time has come: a workflow that was
 * terminated, or lost with Temporal's database, begins anew. Returns how many it woke.
 */
export async function sweepOverdueFollowups(
  { systemDatabase, relay }: { systemDatabase: SystemDatabase; relay: Relay },
  signal: AbortSignal,
): Promise<number> {
  // Wake-ups that cannot be delivered, for Temporal is down, are on their way already.
  if ((await relay.backlog()) >= batch) return 0;
  let woken = 0;
  for (;;) {
    const taken = await systemDatabase.write({ deadline: Date.now() + runLimitMs }, async (sql) => {
      const overdue = await takeOverdueFollowups(sql, { overdueMs, againMs, limit: batch });
      for (const [storeId, concerned] of Map.groupBy(overdue, (row) => row.store_id)) {
        await appendOutbox(
          sql,
          storeId,
          concerned.map((row) => wakeFollowup(row, 'overdue')),
        );
      }
      return overdue.length;
    });
    woken += taken;
    if (taken > 0) relay.nudge();
    if (taken < batch || signal.aborted) return woken;
  }
}
