import { listDocuments as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { countDocuments, listDocuments as listRows } from './document.repository.ts';
import { toDocument } from './document.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const readPage = pagesOf({ defaultLimit, ...byTime('created_at') });

export const listDocuments =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  (context, { query }) =>
    readPage(database, context, query, {
      filters: {},
      list: (sql, page) => listRows(sql, context.storeId, page),
      count: (sql) =>
        listTotals.count(sql, context.storeId, { list: 'documents' }, () => countDocuments(sql, context.storeId)),
      show: toDocument,
    });
