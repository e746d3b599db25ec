import { deleteService as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { bookingChanged } from '../booking/booking-changed.ts';
import { lockPlaces } from '../booking/place-existing.ts';
import type { Dependencies } from '../dependencies.ts';
import { deleteServiceRow, lockService } from './service.repository.ts';

export const deleteService =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params: { serviceId } }) =>
    writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const place = await lockPlaces(sql, context.storeId);
        const current = await lockService(sql, context.storeId, serviceId);
        if (!current) throw new AppError('service_not_found');
        assertIfMatch(context, current.version);
        await deleteServiceRow(sql, context.storeId, current.id);
        // Its appointments have the buffers of the rules from now on.
        if (current.buffer_before_minutes !== null || current.buffer_after_minutes !== null) await place();
        await appendOutbox(sql, context.storeId, [bookingChanged(context.storeId, current.id)]);
        return current.id;
      },
      toReply: (id) => ({ deleted: true as const, id }),
    });
