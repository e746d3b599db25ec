import { randomUUID } from 'node:crypto';
import { raiseInteractionCounts } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import type { Dependencies } from '../dependencies.ts';
import { findUnsentCounts, recordSentCounts, type UnsentCount } from './interaction.repository.ts';

type Tools = Pick<Dependencies, 'database' | 'rpc'>;

const limitMs = 5_000;
const batch = 500;
const storesAtOnce = 4;

/** Sends interaction counts of a store's leads to crm and records that. Repeats and any order are safe. */
export async function sendInteractionCounts(
  { database, rpc }: Tools,
  storeId: string,
  counts: readonly Omit<UnsentCount, 'store_id'>[],
): Promise<void> {
  if (counts.length === 0) return;
  const scope = { storeId, deadline: Date.now() + limitMs };
  await rpc.call(raiseInteractionCounts, { body: { counts: [...counts] } }, { ...scope, requestId: randomUUID() });
  await database.write(scope, (sql) => recordSentCounts(sql, storeId, counts));
}

/**
 * Sends the counts that crm does not have yet: those of outbound messages, and those that a crash or an outage of crm
 * left. Stops at the first failure; the next run continues. Returns the number of counts sent.
 */
export async function sendMissedInteractionCounts(
  { systemDatabase, log, ...tools }: Tools & Pick<Dependencies, 'systemDatabase'> & { log: Log },
  signal: AbortSignal,
): Promise<number> {
  let reported = 0;
  for (;;) {
    const missed = await systemDatabase.read({ deadline: Date.now() + limitMs }, (sql) => findUnsentCounts(sql, batch));
    const queue = Map.groupBy(missed, (row) => row.store_id).entries();
    let failed = false;
    const work = async () => {
      for (const [storeId, rows] of queue) {
        if (failed || signal.aborted) return;
        try {
          const counts = rows.map(({ lead_id, interaction_count }) => ({ lead_id, interaction_count }));
          await sendInteractionCounts(tools, storeId, counts);
          reported += rows.length;
        } catch (error) {
          failed = true;
          log.warn({ err: error, store_id: storeId }, 'interaction counts could not be sent to crm');
        }
      }
    };
    await Promise.all(Array.from({ length: storesAtOnce }, work));
    if (missed.length < batch || failed || signal.aborted) return reported;
  }
}
