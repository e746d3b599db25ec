import type { getSeller as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findSeller } from './seller.repository.ts';
import { toSeller } from './seller.ts';

export const getSeller =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [row] = await database.lookUp(context, (sql) => findSeller(sql, context.storeId, params.sellerId));
    if (!row) throw new AppError('seller_not_found');
    return reply(toSeller(row), { etag: etagOf(row.version) });
  };
