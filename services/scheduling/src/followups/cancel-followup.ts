import { cancelFollowup as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/delivery/idempotency';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { cancelPending, findFollowup } from './followup.repository.ts';
import { followupEvents, type Named, notPending } from './followup.ts';
import { wakeFollowup } from './wake-followup.ts';

/** A cancellation and the claim of a step exclude each other, because only one of them finds the row `pending`. */
export const cancelFollowup =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const row = await cancelPending(sql, storeId, params.followupId);
        if (row) {
          await appendOutbox(sql, storeId, [followupEvents.cancelled(row, 'api'), wakeFollowup(row, 'cancelled')]);
          return row;
        }
        const current = await findFollowup(sql, storeId, params.followupId);
        if (!current) throw new AppError('followup_not_found');
        throw notPending(current, 'cancelled');
      },
      toReply: ({ id }: Named) => ({ cancelled: true as const, id }),
    });
  };
