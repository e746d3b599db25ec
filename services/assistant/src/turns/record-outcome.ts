import type { NextStep } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { lookAgain } from '@mostrador/kit/step/step';
import { deleteOffers, insertOffers, markTold } from '../tools/offer.repository.ts';
import { insertStep, saveOutput } from '../tools/step.repository.ts';
import type { CallRow } from '../tools/step.ts';
import type { Used } from '../tools/use-tool.ts';
import { holdsLease, recordDecided, recordHandOver, recordUsed } from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import type { Outcome } from './decide.ts';
import { type End, endTurn } from './end-turn.ts';

// Without the lease they record nothing, and the next step reads the row again.

/** Records what was decided. The next step does it; what is not to be told ends the turn at once. */
export async function recordDecision(
  sql: TransactionSql,
  { attempt }: Claimed,
  { decided, step, offers = [] }: Outcome,
): Promise<NextStep> {
  const { storeId, id } = attempt;
  if (!(await recordDecided(sql, attempt, decided))) return lookAgain();
  if (step) await insertStep(sql, storeId, id, step.action, step.calls);
  if (offers.length > 0) await markTold(sql, storeId, id, offers);
  if (decided.action === null) return lookAgain('the model asks for tools');
  if (decided.action !== 'silent') return lookAgain('it is decided what to answer');
  return await endTurn(sql, storeId, id, { state: 'silent', reason: decided.action_reason as never });
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
  if (!(await holdsLease(sql, attempt))) return lookAgain();
  return await endTurn(sql, attempt.storeId, attempt.id, end);
}
