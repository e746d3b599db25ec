import { type FollowupCancelReason, cancelFollowup as operation } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockFollowup, saveCancellation } from './followup.repository.ts';
import { type FollowupRow, followupEvents, type Named, notPending, wakeFollowup } from './followup.ts';

/**
 * A cancellation and the claim of a step exclude each other, because both lock the row, and only one of them finds it
 * `pending`.
 */
export const cancelFollowup =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const found = await lockFollowup(sql, storeId, params.followupId);
        if (!found) throw new AppError('followup_not_found');
        const { followup } = found;
        assertIfMatch(context, followup.version);
        if (followup.status !== 'pending') throw notPending(followup, 'cancelled');
        return await cancelLocked(sql, storeId, followup, 'api');
      },
      toReply: ({ id }: Named) => ({ cancelled: true as const, id }),
    });
  };

/** Cancels a locked pending follow-up, with its events and its wake-up. Returns the row as it is now. */
export async function cancelLocked(
  sql: TransactionSql,
  storeId: string,
  followup: Named,
  reason: FollowupCancelReason,
): Promise<FollowupRow> {
  const saved = await saveCancellation(sql, storeId, followup.id, reason);
  await appendOutbox(sql, storeId, [...followupEvents.cancelled(saved, reason), wakeFollowup(followup, 'cancelled')]);
  return saved;
}
