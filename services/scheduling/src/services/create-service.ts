import { createService as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { insertService } from './service.repository.ts';
import { newService, requireSellers, toService } from './service.ts';

export const createService =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { body }) =>
    withIdempotency({
      database: dependencies.database,
      context,
      operation,
      run: async (commit) => {
        const service = newService(body);
        await requireSellers(dependencies, context, service.seller_ids);
        return await commit((sql) => insertService(sql, context.storeId, service));
      },
      toReply: toService,
      etag: (row) => etagOf(row.version),
    });
