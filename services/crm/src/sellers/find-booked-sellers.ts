import type { findBookedSellers as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findBookedSellers as findRows } from './seller.repository.ts';

export const findBookedSellers =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => ({
    sellers: await database.lookUp(context, (sql) => findRows(sql, context.storeId, body.seller_ids)),
  });
