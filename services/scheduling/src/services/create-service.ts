import { createService as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import { bookingChanged } from '../booking/booking-changed.ts';
import type { Dependencies } from '../dependencies.ts';
import { insertService } from './service.repository.ts';
import { newService, requireSellers, toService } from './service.ts';

export const createService =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const result = await withIdempotency({
      database: dependencies.database,
      context,
      operation,
      run: async (commit) => {
        const service = newService(body);
        await requireSellers(dependencies, context, service.seller_ids);
        return await commit(async (sql) => {
          const created = await insertService(sql, context.storeId, service);
          await appendOutbox(sql, context.storeId, [bookingChanged(context.storeId, created.id)]);
          return created;
        });
      },
      toReply: toService,
      etag: (row) => etagOf(row.version),
    });
    dependencies.relay.nudge();
    return result;
  };
