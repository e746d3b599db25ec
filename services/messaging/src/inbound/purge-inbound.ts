import type { Dependencies } from '../dependencies.ts';
import { purgePayloads } from './inbound.repository.ts';

const keptMs = 7 * 24 * 3_600_000;
const batch = 1_000;
const runLimitMs = 10_000;

/** Deletes payloads a week after they were processed, in batches. Returns how many. */
export async function purgeInbound(
  { systemDatabase }: Pick<Dependencies, 'systemDatabase'>,
  signal: AbortSignal,
): Promise<number> {
  let purged = 0;
  for (let count = batch; count === batch && !signal.aborted; purged += count) {
    const scope = { deadline: Date.now() + runLimitMs };
    count = await systemDatabase.write(scope, (sql) => purgePayloads(sql, { olderThanMs: keptMs, limit: batch }));
  }
  return purged;
}
