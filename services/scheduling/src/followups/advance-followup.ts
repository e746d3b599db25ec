import { acceptMessage, type NextStep, type advanceFollowup as operation, type ReplyOf } from '@mostrador/contracts';
import { callTimeMs } from '@mostrador/kit/delivery/step';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { giveBackLease } from './attempt.repository.ts';
import { type Claimed, claimNext } from './claim-next.ts';
import { findFollowup } from './followup.repository.ts';
import { recordRefusal, recordReply } from './record-outcome.ts';
import { findSendingWindows } from './sending-windows.repository.ts';
import { zoneFor } from './store-zone.ts';

/**
 * How long messaging may take for the outcome, which is there much sooner when nothing is in the way: then the workflow
 * ends with this step and need not be woken once more. So many steps at once wait: far fewer than the worker's, so that
 * a channel that stands still keeps nobody else from being sent.
 */
const outcomeMs = 1_500;
const mostWaiting = 16;

/** What became of the row is decided in one transaction, asked of messaging outside of any, recorded in another. */
export const advanceFollowup = (dependencies: Dependencies): Handler<typeof operation> => {
  let waiting = 0;
  return async (context, { body: { followup_id: id } }) => {
    const { database } = dependencies;
    const zone = await zoneIfNeeded(dependencies, context, id);
    const limitMs = callTimeMs(context.deadline);
    const claimed = await database.write(context, (sql) => claimNext(sql, context.storeId, id, zone));
    if ('next' in claimed) return claimed.next;
    // What messaging has already, and was not settled then, is not worth waiting for.
    const mayWait = claimed.followup.message_id === null && waiting < mostWaiting;
    if (!mayWait) return await handOver(dependencies, context, claimed, { limitMs, waitMs: 0 });
    waiting += 1;
    return later(async () => {
      try {
        return await handOver(dependencies, context, claimed, { limitMs, waitMs: Math.min(outcomeMs, limitMs / 2) });
      } finally {
        waiting -= 1;
      }
    });
  };
};

/** The store's zone when the follow-up may have to be held against its windows; null when nobody needs it. */
async function zoneIfNeeded({ database, rpc }: Dependencies, context: StoreContext, id: string) {
  const [row, windows] = await database.read(context, (sql) =>
    Promise.all([findFollowup(sql, context.storeId, id), findSendingWindows(sql, context.storeId)]),
  );
  if (row?.status !== 'pending' || windows.length === 0) return null;
  return await zoneFor(windows, rpc, context);
}

async function handOver(
  { database, rpc, relay }: Dependencies,
  context: StoreContext,
  claimed: Claimed,
  { limitMs, waitMs }: { limitMs: number; waitMs: number },
): Promise<NextStep> {
  const { attempt, followup, recordBy } = claimed;
  // The caller may have gone by the time messaging answers; what became of the attempt is recorded all the same.
  const scope = { storeId: context.storeId, deadline: recordBy };
  const { requestId, storeId, traceparent } = context;
  let accepted: ReplyOf<typeof acceptMessage>;
  try {
    accepted = await rpc.call(
      acceptMessage,
      {
        body: {
          id: followup.id,
          lead_id: followup.lead_id,
          source: 'followup',
          message: followup.message,
          ...(followup.template ? { template: followup.template } : {}),
          ...(followup.cancel_on_reply ? { unless_reply_after: toTimestamp(followup.created_at) } : {}),
          ...(waitMs > 0 ? { wait_ms: Math.floor(waitMs) } : {}),
        },
      },
      { requestId, storeId, traceparent, deadline: Date.now() + limitMs },
    );
  } catch (error) {
    const next = await database.write(scope, (sql) => recordRefusal(sql, claimed, error));
    relay.nudge();
    if (next) return next;
    // What became of it is not known, so it stays `sending`: the next attempt asks, after the lease of this one, whose
    // request may still be on its way.
    context.log.warn({ followup: followup.id, err: error }, 'a follow-up could not be handed over');
    if (error instanceof AppError && error.code === 'service_unavailable') {
      await database.write(scope, (sql) => giveBackLease(sql, attempt));
    }
    throw error;
  }
  const next = await database.write(scope, (sql) => recordReply(sql, claimed, accepted));
  relay.nudge();
  return next;
}
