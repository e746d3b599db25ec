import { acceptMessage, type NextStep, type advanceFollowup as operation, type ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { claimFollowup, giveBackLease, postponeFollowup } from './attempt.repository.ts';
import { findFollowup, lockFollowup } from './followup.repository.ts';
import { done, outsideWindow, wait } from './next-move.ts';
import { recordRefusal, recordReply, type TakenUp } from './record-outcome.ts';
import { planAttempt } from './sending-window.ts';
import { findSendingWindows } from './sending-windows.repository.ts';
import { zoneFor } from './store-zone.ts';

/** The limits nest: a call < the worker's request (12 s) < the lease < the activity (20 s). */
const callLimitMs = 10_000;
const leaseMs = 15_000;
// With less of the request's time left than this, the answer would come too late to be of use.
const leastCallMs = 1_000;
const recordingMs = 1_000;
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
    const limitMs = Math.min(callLimitMs, context.deadline - Date.now() - recordingMs);
    if (limitMs < leastCallMs) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
    const takenUp = await database.write(context, (sql) => takeUp(sql, context.storeId, id, zone));
    if ('next' in takenUp) return takenUp.next;
    // What messaging has already, and was not settled then, is not worth waiting for.
    const mayWait = takenUp.followup.message_id === null && waiting < mostWaiting;
    if (!mayWait) return await carryOut(dependencies, context, takenUp, { limitMs, waitMs: 0 });
    waiting += 1;
    return later(async () => {
      try {
        return await carryOut(dependencies, context, takenUp, { limitMs, waitMs: Math.min(outcomeMs, limitMs / 2) });
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

async function takeUp(
  sql: TransactionSql,
  storeId: string,
  id: string,
  zone: string | null,
): Promise<{ next: NextStep } | TakenUp> {
  const found = await lockFollowup(sql, storeId, id);
  if (!found) return { next: done('there is no such follow-up') };
  const { followup, now } = found;
  if (followup.status !== 'pending' && followup.status !== 'sending') return { next: done(followup.status) };
  if (followup.lease_until && followup.lease_until > now) {
    return { next: wait(followup.lease_until, 'another attempt is running') };
  }
  // What is being sent was claimed before: its window was open then, and only messaging knows what became of it.
  if (followup.status === 'pending') {
    if (followup.next_attempt_at && followup.next_attempt_at > now) {
      const reason =
        followup.error_code === null ? 'it is not due yet' : `the last attempt failed (${followup.error_code})`;
      return { next: wait(followup.next_attempt_at, reason) };
    }
    const windows = await findSendingWindows(sql, storeId);
    if (windows.length > 0) {
      // Set since we asked for the zone.
      if (zone === null) return { next: wait(now, 'the sending window has changed meanwhile') };
      const at = planAttempt(windows, zone, now, id);
      if (at > now) {
        await postponeFollowup(sql, storeId, id, at);
        return { next: wait(at, outsideWindow) };
      }
    }
  }
  const attempt = await claimFollowup(sql, storeId, id, leaseMs);
  return { attempt, followup, recordBy: Date.now() + leaseMs - recordingMs };
}

async function carryOut(
  { database, rpc, relay }: Dependencies,
  context: StoreContext,
  takenUp: TakenUp,
  { limitMs, waitMs }: { limitMs: number; waitMs: number },
): Promise<NextStep> {
  const { attempt, followup, recordBy } = takenUp;
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
    const next = await database.write(scope, (sql) => recordRefusal(sql, takenUp, error));
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
  const next = await database.write(scope, (sql) => recordReply(sql, takenUp, accepted));
  relay.nudge();
  return next;
}
