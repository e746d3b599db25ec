import type { Dependencies } from '../dependencies.ts';
import { purgeFailed, purgeProcessed } from './inbound.repository.ts';

const dayMs = 24 * 3_600_000;
const purges = [
  { purge: purgeProcessed, olderThanMs: 7 * dayMs },
  { purge: purgeFailed, olderThanMs: 90 * dayMs },
];
const batch = 1_000;
const runLimitMs = 10_000;

/** Deletes payloads 7 days after they were processed, or 90 days after they failed, in batches. Returns how many. */
export async function purgeInbound(
  { systemDatabase }: Pick<Dependencies, 'systemDatabase'>,
  signal: AbortSignal,
): Promise<number> {
  let purged = 0;
  for (const { purge, olderThanMs } of purges) {
    for (let count = batch; count === batch && !signal.aborted; purged += count) {
      const scope = { deadline: Date.now() + runLimitMs };
      count = await systemDatabase.write(scope, (sql) => purge(sql, { olderThanMs, limit: batch }));
    }
  }
  return purged;
}
