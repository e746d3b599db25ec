import { type fenceMessages as operation, toFenceReply } from '@mostrador/contracts';
import { writeForEachStore } from '@mostrador/kit/database/each-store';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { messageEvents } from '../messages/message-events.ts';
import { findStoresToFence, holdMessages, listHeld } from './restore.repository.ts';

const restored = {
  code: 'restored',
  detail: 'The database was restored, and the message may have been sent. Check that, then settle it.',
};

/** Repeatable, because a message that was accepted before the restore is never queued again. */
export const fenceMessages =
  ({ database, systemDatabase, limits }: Dependencies): Handler<typeof operation> =>
  async ({ deadline, log }, { body: { since: at, dry_run: dryRun = false } }) => {
    const since = toInstant(at);
    const stores = await systemDatabase.read({ deadline }, findStoresToFence);
    const fenced = await writeForEachStore(database, { stores, deadline, dryRun }, async (sql, storeId) => {
      const held = await holdMessages(sql, storeId, since, restored, limits.unsettledAfterMs);
      await appendOutbox(sql, storeId, held.flatMap(messageEvents.unknown));
      return { storeId, held: held.length, events: 0, waiting: await listHeld(sql, storeId, restored.code) };
    });
    const reply = toFenceReply(fenced);
    log.info({ since: at, dryRun, held: reply.held }, 'a restore was fenced');
    return reply;
  };
