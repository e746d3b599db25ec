import { type NextStep, replyStepLimits, type SilentReason } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { answer, type Claim } from '@mostrador/kit/step/retry-engine';
import { lookAgain } from '@mostrador/kit/step/step';
import { deleteOffers, insertOffers, markTold } from '../tools/offer.repository.ts';
import { insertStep, markBegun, saveOutput, skipCalls } from '../tools/step.repository.ts';
import type { CallRow } from '../tools/step.ts';
import type { Used } from '../tools/use-tool.ts';
import { lockOwn, recordDecided, recordHandOver, recordUsed } from './attempt.repository.ts';
import { type Claimed, recordByNow } from './claim-next.ts';
import { type End, endTurn } from './end-turn.ts';
import type { NotWanted } from './next-move.ts';
import type { Outcome } from './outcome.ts';

// Without the lease they record nothing, and the next step reads the row again.

/**
 * Records what was decided, and claims the attempt to tell it. Tools are used in the next steps, and what is not to be told
 * ends the turn at once.
 */
export async function recordDecision(
  sql: TransactionSql,
  { attempt }: Claimed,
  { decided, step, offers = [], settle }: Outcome,
): Promise<Claim<Claimed>> {
  const { storeId, id } = attempt;
  const isTold = decided.action === 'reply' || decided.action === 'hand_over';
  const [turn] = await Promise.all([
    recordDecided(sql, attempt, decided, isTold ? replyStepLimits.leaseMs : undefined),
    settle?.(sql),
  ]);
  if (!turn) return answer(lookAgain());
  if (step) insertStep(sql, storeId, id, step);
  if (offers.length > 0) sql.withCommit(markTold(sql, storeId, id, offers));
  if (isTold) {
    return {
      kind: 'claimed',
      claimed: { task: 'tell', turn, attempt: { ...attempt, number: 1 }, recordBy: recordByNow() },
    };
  }
  if (decided.action === null) return answer(lookAgain('the model asks for tools'));
  return answer(await endTurn(sql, { storeId, id }, { state: 'silent', reason: decided.action_reason as never }));
}

/** Records what a tool gave. The next step makes the next call, or asks the model. */
export async function recordTool(
  sql: TransactionSql,
  { attempt, turn }: Claimed,
  call: CallRow,
  { output, offers, spendsOffers }: Used,
): Promise<NextStep> {
  const { storeId } = attempt;
  if (!(await recordUsed(sql, attempt))) return lookAgain();
  await saveOutput(sql, storeId, call, output);
  if (spendsOffers) await deleteOffers(sql, storeId, turn.lead_id);
  if (offers) await insertOffers(sql, storeId, turn.lead_id, offers);
  return lookAgain('a tool was used');
}

/** Records that a call begins: from here on its effect may exist. False: the attempt has lost its lease. */
export async function recordBegun(sql: TransactionSql, { attempt }: Claimed, call: CallRow): Promise<boolean> {
  if (!(await lockOwn(sql, attempt))) return false;
  await markBegun(sql, attempt.storeId, call);
  return true;
}

/** Records that a call is not made, and that those after it are not either. The next step ends the turn or decides again. */
export async function recordStopped(
  sql: TransactionSql,
  { attempt }: Claimed,
  call: CallRow,
  reason: SilentReason | NotWanted,
): Promise<NextStep> {
  if (!(await recordUsed(sql, attempt))) return lookAgain();
  await skipCalls(sql, attempt.storeId, call, reason);
  return lookAgain(`a call was not made (${reason})`);
}

/** Records how the turn has ended, or that the next step hands it over. */
export async function recordTold(sql: TransactionSql, { attempt }: Claimed, end: End | 'hand_over'): Promise<NextStep> {
  if (end === 'hand_over') {
    await recordHandOver(sql, attempt, 'budget_reached');
    return lookAgain('the budget for messages is used up');
  }
  return await endTurn(sql, attempt, end);
}
