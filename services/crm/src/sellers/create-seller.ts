import { createSeller as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { insertSeller } from './seller.repository.ts';
import { newSeller, sellerCreated, toSeller } from './seller.ts';

export const createSeller =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const seller = newSeller(body);
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const row = await insertSeller(sql, context.storeId, seller);
        await appendOutbox(sql, context.storeId, sellerCreated(row));
        return row;
      },
      toReply: toSeller,
      etag: (row) => etagOf(row.version),
    });
  };
