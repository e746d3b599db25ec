import { deleteService as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { bookingChanged } from '../booking/booking-changed.ts';
import type { Dependencies } from '../dependencies.ts';
import { deleteServiceRow, lockService } from './service.repository.ts';

export const deleteService =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params: { serviceId } }) =>
    writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const current = await lockService(sql, context.storeId, serviceId);
        if (!current) throw new AppError('service_not_found');
        assertIfMatch(context, current.version);
        await deleteServiceRow(sql, context.storeId, current.id);
        await appendOutbox(sql, context.storeId, [bookingChanged(context.storeId, current.id)]);
        return current.id;
      },
      toReply: (id) => ({ deleted: true as const, id }),
    });
