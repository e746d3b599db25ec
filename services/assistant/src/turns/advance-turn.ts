import type { NextStep, advanceTurn as operation } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { failedReason, lookAgain, waitUntil } from '@mostrador/kit/step/step';
import type { Dependencies } from '../dependencies.ts';
import { ModelWaits } from '../models/ask-model.ts';
import { releaseHolds } from '../tools/hold-times.ts';
import { endCalls } from '../tools/step.repository.ts';
import { recordFailed } from './attempt.repository.ts';
import { type Claimed, claimNext } from './claim-next.ts';
import { decide } from './decide.ts';
import { makeCall } from './make-call.ts';
import { delayAfter } from './next-move.ts';
import { recordDecision, recordTold } from './record-outcome.ts';
import { tell } from './tell.ts';

/**
 * One transaction claims the turn and another records the outcome. Everything else runs outside of both: each call to the
 * model in one attempt, each tool that it asks for in one, and messaging in the last one, so that a crash repeats at most
 * one call to a model, and no effect. The transaction that records what the model answers also claims the last attempt.
 */
export const advanceTurn =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { lead_id: id } }) => {
    const { storeId } = context;
    const claim = await dependencies.database.write(context, (sql) => claimNext(sql, { storeId, id }));
    if (claim.kind === 'answer') {
      // The turn may have ended without an attempt.
      dependencies.relay.nudge(['feed']);
      return claim.next;
    }
    return later(() => attempt(dependencies, context, claim.claimed).finally(() => dependencies.relay.nudge(['feed'])));
  };

async function attempt(dependencies: Dependencies, context: StoreContext, claimed: Claimed): Promise<NextStep> {
  const { database } = dependencies;
  // The outcome is recorded even when the deadline of the caller has passed.
  const scope = { storeId: context.storeId, deadline: claimed.recordBy };
  const { requestId, storeId, traceparent } = context;
  const call = { requestId, storeId, traceparent, deadline: Math.min(context.deadline, claimed.recordBy) };
  try {
    if (claimed.task === 'decide') {
      const decided = await decide(dependencies, { scope, call }, claimed);
      if (!decided) return lookAgain();
      const recorded = await database.write(scope, (sql) => recordDecision(sql, claimed, decided));
      return recorded.kind === 'answer' ? recorded.next : await attempt(dependencies, context, recorded.claimed);
    }
    if (claimed.task === 'use_tool') return await makeCall(dependencies, { scope, call }, claimed);
    const told = await tell(dependencies, call, claimed.turn);
    const next = await database.write(scope, (sql) => recordTold(sql, claimed, told));
    if (claimed.turn.action_reason === 'needs_confirmation' && told !== 'hand_over' && told.state !== 'handed_over') {
      // No person is asked, such as because one has written meanwhile, or the lead has.
      const why = told.reason ?? 'customer_wrote_more';
      const calls = await database.write(scope, (sql) => endCalls(sql, scope.storeId, claimed.turn.id, why));
      await releaseHolds(dependencies, call, calls);
    }
    return next;
  } catch (error) {
    const code = error instanceof AppError || error instanceof ModelWaits ? error.code : 'internal_error';
    context.log.warn({ turn: claimed.turn.id, task: claimed.task, err: error }, 'a step of an AI turn failed');
    const failed = error instanceof ModelWaits ? error : { delayMs: delayAfter(claimed.attempt.number) };
    const until = await database.write(scope, (sql) => recordFailed(sql, claimed.attempt, code, failed));
    return until ? waitUntil(until, failedReason(code, claimed.attempt.number)) : lookAgain();
  }
}
