import type { NextStep } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { done, recordingMs, stepLimits, waitUntil } from '@mostrador/kit/step/step';
import { type Attempt, claimFollowup, failUnsent, postponeFollowup } from './attempt.repository.ts';
import { lockFollowup } from './followup.repository.ts';
import { type FollowupRow, followupEvents } from './followup.ts';
import { expired, nextMove, outsideWindow } from './next-move.ts';
import { findSendingWindows } from './sending-windows.repository.ts';

/** A claimed attempt. */
export type Claimed = {
  /** `attempts` is the number of this attempt. */
  readonly attempt: Attempt & { readonly attempts: number; readonly firstAttemptAt: Date };
  /** The row before the claim. */
  readonly followup: FollowupRow;
  /** Epoch milliseconds. The outcome must be recorded before this moment, while the lease is valid. */
  readonly recordBy: number;
};

/** Claims a follow-up when an attempt is due, or answers why none is. A claimed follow-up cannot be cancelled. */
export async function claimNext(
  sql: TransactionSql,
  storeId: string,
  id: string,
  zone: string | null,
): Promise<{ next: NextStep } | Claimed> {
  const found = await lockFollowup(sql, storeId, id);
  const windows = found?.followup.status === 'pending' ? await findSendingWindows(sql, storeId) : [];
  const move = nextMove({ followup: found?.followup, now: found?.now ?? new Date(), windows, zone });
  switch (move.kind) {
    case 'answer':
      return { next: move.next };
    case 'expire':
      await appendOutbox(
        sql,
        storeId,
        followupEvents.failed(await failUnsent(sql, storeId, id, expired), expired.code),
      );
      return { next: done(`failed (${expired.code})`) };
    case 'postpone':
      await postponeFollowup(sql, storeId, id, move.until);
      return { next: waitUntil(move.until, outsideWindow) };
    case 'send': {
      const attempt = await claimFollowup(sql, storeId, id, stepLimits.leaseMs);
      return { attempt, followup: move.followup, recordBy: Date.now() + stepLimits.leaseMs - recordingMs };
    }
  }
}
