import { holdMinutes, renewHold as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findHold, renewBooking } from '../booking/booking.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { toHold } from './hold.ts';

export const renewHold =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params: { holdId } }) =>
    writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const renewed = await renewBooking(sql, context.storeId, holdId, holdMinutes);
        if (renewed) return renewed;
        const [hold] = await findHold(sql, context.storeId, holdId);
        throw new AppError(hold ? 'hold_not_renewable' : 'hold_not_found');
      },
      toReply: toHold,
    });
