import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import type { Dependencies } from '../dependencies.ts';
import { takeUnsettled } from './watch.repository.ts';

const batch = 500;
const runLimitMs = 10_000;

/**
 * Publishes `messaging.message.unsettled` once for each message that waits too long: with an unknown outcome, without a
 * status update, or without a channel. Returns the number of messages.
 */
export async function watchUnsettled(
  { systemDatabase, relay }: Pick<Dependencies, 'systemDatabase' | 'relay'>,
  signal: AbortSignal,
): Promise<number> {
  let told = 0;
  for (;;) {
    const taken = await systemDatabase.write({ deadline: Date.now() + runLimitMs }, async (sql) => {
      const unsettled = await takeUnsettled(sql, batch);
      for (const [storeId, messages] of Map.groupBy(unsettled, (row) => row.store_id)) {
        await appendOutbox(
          sql,
          storeId,
          messages.map(({ id, lead_id }) => ({
            kind: 'event',
            type: 'messaging.message.unsettled',
            data: { message_id: id, lead_id },
          })),
        );
      }
      return unsettled.length;
    });
    told += taken;
    if (taken > 0) relay.nudge();
    if (taken < batch || signal.aborted) return told;
  }
}
