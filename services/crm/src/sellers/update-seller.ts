import { updateSeller as operation } from '@mostrador/contracts';
import { assertIfMatch, etagOf } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockSellerForChange, saveSeller } from './seller.repository.ts';
import { assertHours, changeSeller, sellerUpdated, toSeller } from './seller.ts';

export const updateSeller =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { storeId } = context;
    assertHours(body.hours ?? null);
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const current = await lockSellerForChange(sql, storeId, params.sellerId);
        if (!current) throw new AppError('seller_not_found');
        assertIfMatch(context, current.version);
        const changed = changeSeller(current, body);
        if (!changed) return current;

        const saved = await saveSeller(sql, current, changed);
        await appendOutbox(sql, storeId, sellerUpdated(current, saved));
        return saved;
      },
      toReply: toSeller,
      etag: (row) => etagOf(row.version),
    });
  };
