import type { deleteSeller as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { appendOutbox } from '@mostrador/kit/delivery/outbox';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { unassignLeads } from '../leads/lead.repository.ts';
import { deleteSellerRow, lockSellerForChange } from './seller.repository.ts';

export const deleteSeller =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const { id, leads_unassigned } = await database.write(context, async (sql) => {
      const seller = await lockSellerForChange(sql, storeId, params.sellerId);
      if (!seller) throw new AppError('seller_not_found');
      assertIfMatch(context, seller.version);
      // From here on no lead can be assigned to this seller, because an assignment needs the lock.
      const leads_unassigned = await unassignLeads(sql, storeId, seller.id);
      await deleteSellerRow(sql, storeId, seller.id);
      await appendOutbox(sql, storeId, [
        { kind: 'event', type: 'crm.seller.deleted', data: { seller_id: seller.id, leads_unassigned } },
      ]);
      return { id: seller.id, leads_unassigned };
    });
    relay.nudge();
    context.log.info({ seller_id: id, leads_unassigned }, 'seller deleted');
    return { deleted: true, id };
  };
