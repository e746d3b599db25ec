import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Log } from '@mostrador/kit/process/log';
import type { Dependencies } from '../dependencies.ts';
import { listMessagesById } from '../messages/message.repository.ts';
import { messageEvents } from '../messages/message-events.ts';
import { findUnsettled, takeUnsettled } from './watch.repository.ts';

const batch = 500;
const runLimitMs = 10_000;

/**
 * Publishes `messaging.message.unsettled` once for each message that waits too long: with an unknown outcome, without a
 * status update, or without a channel. Returns the number of messages.
 */
export async function watchUnsettled(
  { database, systemDatabase, relay, log }: Pick<Dependencies, 'database' | 'systemDatabase' | 'relay'> & { log: Log },
  signal: AbortSignal,
): Promise<number> {
  for (let told = 0; ; ) {
    const deadline = Date.now() + runLimitMs;
    const due = await systemDatabase.read({ deadline }, (sql) => findUnsettled(sql, batch));
    let toldNow = 0;
    for (const [storeId, messages] of Map.groupBy(due, (row) => row.store_id)) {
      try {
        toldNow += await database.write({ storeId, deadline }, async (sql) => {
          const taken = await takeUnsettled(
            sql,
            storeId,
            messages.map(({ id }) => id),
          );
          const rows = taken.length > 0 ? await listMessagesById(sql, storeId, taken) : [];
          await appendOutbox(sql, storeId, rows.flatMap(messageEvents.unsettled));
          return taken.length;
        });
      } catch (error) {
        // An error in one store must not hide the messages of other stores.
        log.error({ err: error, store_id: storeId }, 'unsettled messages could not be published');
      }
    }
    if (toldNow > 0) relay.nudge();
    told += toldNow;
    if (due.length < batch || toldNow === 0 || signal.aborted) return told;
  }
}
