import type { Log } from '@mostrador/kit/process/log';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import type { Dependencies } from '../dependencies.ts';
import { findStoresOfDiedCalls, takeDiedCalls } from '../prices/model-call.repository.ts';
import { reachBudget } from '../prices/reach-budget.ts';
import { addUsage } from './usage.repository.ts';

const everyMs = 10_000;
const limitMs = 5_000;
const batch = 100;

type Tools = Pick<Dependencies, 'database' | 'systemDatabase' | 'prices'>;

/**
 * Counts the calls to models whose process died before it could: as failed, with the most that they may have cost, which
 * they have taken of the budget already. Their tokens are not known.
 */
export async function countDiedCalls({ database, systemDatabase, prices }: Tools, signal: AbortSignal): Promise<void> {
  for (let found = batch; found === batch && !signal.aborted; ) {
    const scope = { deadline: Date.now() + limitMs };
    const stores = await systemDatabase.read(scope, (sql) => findStoresOfDiedCalls(sql, batch));
    for (const { store_id: storeId } of stores) {
      await database.write({ storeId, deadline: Date.now() + limitMs }, async (sql) => {
        for (const { turn_id, agent_id: agentId, model, cost_micros } of await takeDiedCalls(sql, storeId)) {
          await addUsage(sql, storeId, {
            ...{ agentId, model, failed: true },
            ...(turn_id !== null && { turnId: turn_id }),
            ...(cost_micros > 0 && { costMicros: cost_micros }),
          });
        }
        await reachBudget(sql, storeId, prices);
      });
    }
    found = stores.length;
  }
}

export const diedCallsJob = ({ log, ...tools }: Tools & { readonly log: Log }): Periodic =>
  periodically({ name: 'count of died calls', everyMs, log, run: (signal) => countDiedCalls(tools, signal) });
