import type { checkSeller as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findSeller } from './seller.repository.ts';

export const checkSeller =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const [seller] = await database.lookUp(context, (sql) => findSeller(sql, context.storeId, body.seller_id));
    if (!seller) throw new AppError('seller_not_found');
    if (!seller.is_active) throw new AppError('seller_inactive');
    return { id: seller.id };
  };
