import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { type Attempt, answer, type Claim, type ClaimNext } from '@mostrador/kit/step/retry-engine';
import { done, recordingMs, stepLimits, waitUntil } from '@mostrador/kit/step/step';
import { claim, failUnsent, postpone } from './attempt.repository.ts';
import { lockFollowup, saveCancellation } from './followup.repository.ts';
import { type FollowupRow, followupEvents } from './followup.ts';
import { expired, nextLook, nextMove, outsideWindow, type Situation } from './next-move.ts';
import { findSendingWindows } from './sending-windows.repository.ts';

/** A claimed attempt. */
export type Claimed = {
  readonly attempt: Attempt;
  readonly firstAttemptAt: Date;
  /** The row before the claim. */
  readonly followup: FollowupRow;
  /** Epoch milliseconds. The outcome must be recorded before this moment, while the lease is valid. */
  readonly recordBy: number;
};

/** Claims a follow-up when an attempt is due, or answers why none is. A claimed follow-up cannot be cancelled. */
export const claimNext: ClaimNext<Claim<Claimed>, Pick<Situation, 'zone'>> = async (sql, row, { zone }) => {
  const { storeId, id } = row;
  const found = await lockFollowup(sql, storeId, id);
  const windows = found?.followup.status === 'pending' ? await findSendingWindows(sql, storeId) : [];
  const move = nextMove({ followup: found?.followup, now: found?.now ?? new Date(), windows, zone });
  switch (move.kind) {
    case 'answer':
      return move;
    case 'cancel': {
      const cancelled = await saveCancellation(sql, storeId, id, 'expired');
      await appendOutbox(sql, storeId, followupEvents.cancelled(cancelled, 'expired'));
      return answer(done('cancelled (expired)'));
    }
    case 'expire':
      await appendOutbox(sql, storeId, followupEvents.failed(await failUnsent(sql, row, expired), expired.code));
      return answer(done(`failed (${expired.code})`));
    case 'postpone':
      await postpone(sql, row, move.until);
      return answer(waitUntil(nextLook(move.followup, move.until), outsideWindow));
    case 'claim': {
      const begun = await claim(sql, row, stepLimits.leaseMs);
      const recordBy = Date.now() + stepLimits.leaseMs - recordingMs;
      return { kind: 'claimed', claimed: { ...begun, followup: move.followup, recordBy } };
    }
  }
};
