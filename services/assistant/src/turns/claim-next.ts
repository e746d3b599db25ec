import { replyStepLimits } from '@mostrador/contracts';
import { type Attempt, answer, type Claim, type ClaimNext } from '@mostrador/kit/step/retry-engine';
import { lookAgain, recordingMs } from '@mostrador/kit/step/step';
import { listOpenCalls, skipCalls } from '../tools/step.repository.ts';
import { claim } from './attempt.repository.ts';
import { endTurn } from './end-turn.ts';
import { type Due, nextMove } from './next-move.ts';
import { lockOpenTurn } from './turn.repository.ts';

/** A claimed attempt. The id of its `attempt` is that of the turn. */
export type Claimed = Due & {
  readonly attempt: Attempt;
  /** Epoch milliseconds. The outcome must be recorded before this moment, while the lease is valid. */
  readonly recordBy: number;
};

/** Until when an attempt whose lease begins now may record. */
export const recordByNow = (): number => Date.now() + replyStepLimits.leaseMs - recordingMs;

/** Claims the open turn of a lead when something is due, or answers why nothing is. The id of the row is the lead's. */
export const claimNext: ClaimNext<Claim<Claimed>> = async (sql, { storeId, id: leadId }) => {
  const found = await lockOpenTurn(sql, storeId, leadId);
  // Only what a model has decided has calls.
  const mayHaveCall = found.turn?.answered_to && found.turn.action === null;
  const [call] = found.turn && mayHaveCall ? await listOpenCalls(sql, storeId, found.turn.id) : [];
  const move = nextMove({ ...found, call });
  switch (move.kind) {
    case 'answer':
      return move;
    case 'drop':
      return answer(await endTurn(sql, { storeId, id: move.turn.id }, { state: 'silent', reason: 'too_late' }));
    case 'skip':
      await skipCalls(sql, storeId, move.call, move.error);
      return answer(lookAgain(`a call was not made (${move.error})`));
    case 'claim': {
      const { kind: _, ...due } = move;
      const attempt = claim(sql, storeId, due.turn, replyStepLimits.leaseMs);
      return { kind: 'claimed', claimed: { ...due, attempt, recordBy: recordByNow() } };
    }
  }
};
