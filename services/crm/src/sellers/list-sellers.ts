import { listSellers as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { countSellers, listSellers as listRows } from './seller.repository.ts';
import { toSeller } from './seller.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const readPage = pagesOf({ defaultLimit, ...byTime('created_at') });

export const listSellers =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  (context, { query }) =>
    readPage(database, context, query, {
      filters: {},
      list: (sql, page) => listRows(sql, context.storeId, page),
      count: (sql) =>
        listTotals.count(sql, context.storeId, { list: 'sellers' }, () => countSellers(sql, context.storeId)),
      show: toSeller,
    });
