import { type fenceTurns as operation, toFenceReply } from '@mostrador/contracts';
import { writeForEachStore } from '@mostrador/kit/database/each-store';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { endTurn } from '../turns/end-turn.ts';
import { findStoresToFence, settleOpenTurns } from './restore.repository.ts';

/** Repeatable, because a turn that has ended is never opened again. */
export const fenceTurns =
  ({ database, systemDatabase }: Dependencies): Handler<typeof operation> =>
  async ({ deadline, log }, { body: { since: at, dry_run: dryRun = false } }) => {
    const since = toInstant(at);
    const stores = await systemDatabase.read({ deadline }, findStoresToFence);
    const fenced = await writeForEachStore(database, { stores, deadline, dryRun }, async (sql, storeId) => {
      const open = await settleOpenTurns(sql, storeId, since);
      // What was written after the restore opens the next turn.
      for (const { id } of open) await endTurn(sql, { storeId, id }, { state: 'silent', reason: 'restored' });
      return { storeId, held: open.length, events: 0, waiting: [] };
    });
    const reply = toFenceReply(fenced);
    log.info({ since: at, dryRun, held: reply.held }, 'a restore was fenced');
    return reply;
  };
