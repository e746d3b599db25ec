import { deleteSeller as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { unassignLeads } from '../leads/lead.repository.ts';
import { deleteSellerRow, lockSellerForChange } from './seller.repository.ts';
import { sellerDeleted } from './seller.ts';

type Deletion = { readonly seller_id: string; readonly leads_unassigned: number };

export const deleteSeller =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        const deleted = await commit(async (sql) => {
          const seller = await lockSellerForChange(sql, storeId, params.sellerId);
          if (!seller) throw new AppError('seller_not_found');
          assertIfMatch(context, seller.version);
          // From here on no lead can be assigned to this seller, because an assignment needs the lock.
          const leads_unassigned = await unassignLeads(sql, storeId, seller.id);
          await deleteSellerRow(sql, storeId, seller.id);
          await appendOutbox(sql, storeId, sellerDeleted(seller, leads_unassigned));
          return { seller_id: seller.id, leads_unassigned };
        });
        context.log.info(deleted, 'seller deleted');
        return deleted;
      },
      toReply: ({ seller_id }: Deletion) => ({ deleted: true as const, id: seller_id }),
    });
    relay.nudge();
    return result;
  };
