import type { NextStep } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { lookAgain } from '@mostrador/kit/step/step';
import { type Decided, holdsLease, recordDecided } from './attempt.repository.ts';
import type { Claimed } from './claim-next.ts';
import { type End, endTurn } from './end-turn.ts';

// Without the lease they record nothing, and the next step reads the row again.

/** Records what was decided. The next step tells it; what is not to be told ends the turn at once. */
export async function recordDecision(sql: TransactionSql, { attempt }: Claimed, decided: Decided): Promise<NextStep> {
  if (!(await recordDecided(sql, attempt, decided))) return lookAgain();
  if (decided.action !== 'silent') return lookAgain('it is decided what to answer');
  return await endTurn(sql, attempt.storeId, attempt.id, { state: 'silent', reason: decided.action_reason as never });
}

/** Records how the turn has ended. */
export async function recordTold(sql: TransactionSql, { attempt }: Claimed, end: End): Promise<NextStep> {
  if (!(await holdsLease(sql, attempt))) return lookAgain();
  return await endTurn(sql, attempt.storeId, attempt.id, end);
}
