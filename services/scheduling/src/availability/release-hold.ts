import { releaseHold as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { deleteBookings, findHold } from '../booking/booking.repository.ts';
import type { Dependencies } from '../dependencies.ts';

export const releaseHold =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params: { holdId } }) =>
    writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const [hold] = await findHold(sql, context.storeId, holdId);
        if (!hold) throw new AppError('hold_not_found');
        await deleteBookings(sql, context.storeId, [hold.id]);
        return hold.id;
      },
      toReply: (id) => ({ released: true as const, id }),
    });
