import { randomUUID } from 'node:crypto';
import { raiseInteractionCount } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/log';
import { findUnreportedCounts, recordReported } from '../conversations/interaction.repository.ts';
import type { Dependencies } from '../dependencies.ts';

type Tools = Pick<Dependencies, 'database' | 'rpc'>;
type Count = { readonly storeId: string; readonly leadId: string; readonly interactionCount: number };

const limitMs = 5_000;
const batch = 500;
const atOnce = 4;

/** Tells crm how many interactions a lead has, and remembers that it did. Safe to repeat, in any order. */
export async function reportInteractions({ database, rpc }: Tools, count: Count): Promise<void> {
  const { storeId, leadId, interactionCount } = count;
  const scope = { storeId, deadline: Date.now() + limitMs };
  const body = { lead_id: leadId, interaction_count: interactionCount };
  await rpc.call(raiseInteractionCount, { body }, { ...scope, requestId: randomUUID() });
  await database.write(scope, (sql) => recordReported(sql, storeId, leadId, interactionCount));
}

/**
 * Reports what was not reported when it was counted: the process died, or crm was away. Ends with the first failure, for
 * the next run to go on. Returns how many it reported.
 */
export async function reportMissedInteractions(
  { systemDatabase, log, ...tools }: Tools & Pick<Dependencies, 'systemDatabase'> & { log: Log },
  signal: AbortSignal,
): Promise<number> {
  let reported = 0;
  for (;;) {
    const missed = await systemDatabase.read({ deadline: Date.now() + limitMs }, (sql) =>
      findUnreportedCounts(sql, batch),
    );
    const queue = missed.values();
    let failed = false;
    const work = async () => {
      for (const row of queue) {
        if (failed || signal.aborted) return;
        try {
          const { store_id: storeId, lead_id: leadId, interaction_count: interactionCount } = row;
          await reportInteractions(tools, { storeId, leadId, interactionCount });
          reported += 1;
        } catch (error) {
          failed = true;
          log.warn({ err: error, store_id: row.store_id }, 'interaction counts could not be reported to crm');
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (missed.length < batch || failed || signal.aborted) return reported;
  }
}
