import { appendOutbox } from '@mostrador/kit/outbox';
import type { Dependencies } from '../dependencies.ts';
import { wakeDelivery } from './wake-delivery.ts';
import { takeOverdueLeads } from './watch.repository.ts';

const overdueMs = 30_000;
// A workflow that was woken and cannot go on is left alone for this long.
const againMs = 5 * 60_000;
const batch = 500;
const runLimitMs = 10_000;

/**
 * Wakes the workflows of leads whose messages nobody has looked at although their turn has come: a workflow that was
 * terminated, or lost with Temporal's database, begins anew. Returns how many it woke.
 */
export async function sweepOverdue(
  { systemDatabase, relay }: Pick<Dependencies, 'systemDatabase' | 'relay'>,
  signal: AbortSignal,
): Promise<number> {
  // Wake-ups that cannot be delivered, for Temporal is down, are on their way already.
  if ((await relay.backlog()) >= batch) return 0;
  let woken = 0;
  for (;;) {
    const taken = await systemDatabase.write({ deadline: Date.now() + runLimitMs }, async (sql) => {
      const overdue = await takeOverdueLeads(sql, { overdueMs, againMs, limit: batch });
      for (const [storeId, leads] of Map.groupBy(overdue, (row) => row.store_id)) {
        await appendOutbox(
          sql,
          storeId,
          leads.map(({ lead_id }) => wakeDelivery(lead_id, 'overdue')),
        );
      }
      return overdue.length;
    });
    woken += taken;
    if (taken > 0) relay.nudge();
    if (taken < batch || signal.aborted) return woken;
  }
}
