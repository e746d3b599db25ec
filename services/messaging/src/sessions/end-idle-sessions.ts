import type { Log } from '@mostrador/kit/process/log';
import type { Dependencies } from '../dependencies.ts';
import { endIdleSessions as endRows, findIdleSessions } from './session.repository.ts';

const batch = 500;
const runLimitMs = 10_000;

/**
 * Ends every session without a message for its store's `session_idle_hours`. Its end is the moment when that time ran
 * out. Returns the number of sessions ended.
 */
export async function endIdleSessions(
  { database, systemDatabase, relay, log }: Pick<Dependencies, 'database' | 'systemDatabase' | 'relay'> & { log: Log },
  signal: AbortSignal,
): Promise<number> {
  let ended = 0;
  for (;;) {
    const deadline = Date.now() + runLimitMs;
    const idle = await findIdleSessions(systemDatabase, { deadline }, batch);
    let endedNow = 0;
    for (const [storeId, sessions] of Map.groupBy(idle, (row) => row.store_id)) {
      const ids = sessions.map(({ id }) => id);
      try {
        endedNow += await database.write({ storeId, deadline }, (sql) => endRows(sql, storeId, ids));
      } catch (error) {
        // An error in one store must not keep the sessions of other stores open.
        log.error({ err: error, store_id: storeId }, 'idle sessions could not be ended');
      }
    }
    if (endedNow > 0) relay.nudge();
    ended += endedNow;
    if (idle.length < batch || endedNow === 0 || signal.aborted) return ended;
  }
}
