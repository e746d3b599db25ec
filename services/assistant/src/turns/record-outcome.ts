import { type NextStep, replyStepLimits } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { answer, type Claim } from '@mostrador/kit/step/retry-engine';
import { lookAgain } from '@mostrador/kit/step/step';
import { deleteOffers, insertOffers, markTold } from '../tools/offer.repository.ts';
import { insertStep, saveOutput } from '../tools/step.repository.ts';
import type { CallRow } from '../tools/step.ts';
import type { Used } from '../tools/use-tool.ts';
import { recordDecided, recordHandOver, recordUsed } from './attempt.repository.ts';
import { type Claimed, recordByNow } from './claim-next.ts';
import { type End, endTurn } from './end-turn.ts';
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

/** Records how the turn has ended, or that the next step hands it over. */
export async function recordTold(sql: TransactionSql, { attempt }: Claimed, end: End | 'hand_over'): Promise<NextStep> {
  if (end === 'hand_over') {
    await recordHandOver(sql, attempt, 'budget_reached');
    return lookAgain('the budget for messages is used up');
  }
  return await endTurn(sql, attempt, end);
}
