import { updateService as operation } from '@mostrador/contracts';
import { assertIfMatch, etagOf } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { bookingChanged } from '../booking/booking-changed.ts';
import { lockPlaces } from '../booking/place-existing.ts';
import type { Dependencies } from '../dependencies.ts';
import { findService, lockService, saveService } from './service.repository.ts';
import { changeService, hasOtherBuffers, requireSellers, toService } from './service.ts';

export const updateService =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params: { serviceId }, body }) => {
    const result = await withIdempotency({
      database: dependencies.database,
      context,
      operation,
      run: async (commit) => {
        const [row] = await dependencies.database.lookUp(context, (sql) =>
          findService(sql, context.storeId, serviceId),
        );
        if (!row) throw new AppError('service_not_found');
        // A client that sends back what it read must not fail because a seller was deleted since.
        const added = (body.seller_ids ?? []).filter((id) => !row.seller_ids.includes(id.toLowerCase()));
        await requireSellers(dependencies, context, added);
        return await commit(async (sql) => {
          const place = await lockPlaces(sql, context.storeId);
          const current = await lockService(sql, context.storeId, serviceId);
          if (!current) throw new AppError('service_not_found');
          assertIfMatch(context, current.version);
          const changed = changeService(current, body);
          if (!changed) return current;
          await appendOutbox(sql, context.storeId, [bookingChanged(context.storeId, current.id)]);
          const saved = await saveService(sql, context.storeId, current.id, changed);
          if (hasOtherBuffers(current, saved)) await place();
          return saved;
        });
      },
      toReply: toService,
      etag: (row) => etagOf(row.version),
    });
    dependencies.relay.nudge();
    return result;
  };
