import { cancelFollowup as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/delivery/idempotency';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockFollowup, saveCancellation } from './followup.repository.ts';
import { followupEvents, type Named, notPending } from './followup.ts';
import { wakeFollowup } from './wake-followup.ts';

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
        const saved = await saveCancellation(sql, storeId, followup.id);
        await appendOutbox(sql, storeId, [
          ...followupEvents.cancelled(saved, 'api'),
          wakeFollowup(followup, 'cancelled'),
        ]);
        return saved;
      },
      toReply: ({ id }: Named) => ({ cancelled: true as const, id }),
    });
  };
