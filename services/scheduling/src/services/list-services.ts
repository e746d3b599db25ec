import { listStoreServices as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { countServices, listServiceRows } from './service.repository.ts';
import { toService } from './service.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const readPage = pagesOf({ defaultLimit, ...byTime('created_at') });

export const listStoreServices =
  ({ database }: Dependencies): Handler<typeof operation> =>
  (context, { query }) =>
    readPage(database, context, query, {
      filters: {},
      list: (sql, page) => listServiceRows(sql, context.storeId, page),
      // Without kept totals: a store has few services.
      count: (sql) => countServices(sql, context.storeId),
      show: toService,
    });
