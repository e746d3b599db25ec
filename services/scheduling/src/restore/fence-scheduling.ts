import { type fenceScheduling as operation, toFenceReply } from '@mostrador/contracts';
import { writeForEachStore } from '@mostrador/kit/database/each-store';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { expiresAfterMs } from '../followups/next-move.ts';
import { restored } from '../followups/restored.ts';
import {
  beginEpoch,
  findEpoch,
  findStoresToFence,
  holdDueFollowups,
  listHeld,
  requestSyncsAgain,
} from './restore.repository.ts';

/** An appointment that its restored row shows this long before the restore may have been moved to a time after it. */
const movedFromMs = 31 * 24 * 60 * 60_000;

export const fenceScheduling =
  ({ database, systemDatabase }: Dependencies): Handler<typeof operation> =>
  async ({ deadline, log }, { body: { since: at, dry_run: dryRun = false } }) => {
    const since = toInstant(at);
    // First, so that a fence which is interrupted can be repeated: it goes on with what has not changed since.
    const fencedAt = dryRun
      ? await systemDatabase.read({ deadline }, (sql) => findEpoch(sql, since))
      : await systemDatabase.write({ deadline }, (sql) => beginEpoch(sql, since));
    const fence = { since, fencedAt };
    const stores = await systemDatabase.read({ deadline }, findStoresToFence);
    const fenced = await writeForEachStore(database, { stores, deadline, dryRun }, async (sql, storeId) => {
      const held = await holdDueFollowups(sql, storeId, fence, restored, expiresAfterMs);
      const events = await requestSyncsAgain(sql, storeId, fence, movedFromMs);
      return { storeId, held, events, waiting: await listHeld(sql, storeId, restored.code) };
    });
    const reply = toFenceReply(fenced);
    log.info({ since: at, dryRun, held: reply.held, events: reply.events }, 'a restore was fenced');
    return reply;
  };
