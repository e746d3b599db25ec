import { listFollowups as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { bindingOf, filtersOf } from '../list-filters.ts';
import { countFollowups, listFollowups as listRows } from './followup.repository.ts';
import { toFollowup } from './followup.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const readPage = pagesOf({ defaultLimit, ...byTime('due_at') });

export const listFollowups =
  ({ database }: Dependencies): Handler<typeof operation> =>
  (context, { query }) => {
    const filters = filtersOf(query);
    return readPage(database, context, query, {
      filters: bindingOf(filters),
      list: (sql, page) => listRows(sql, context.storeId, filters, page),
      count: (sql) => countFollowups(sql, context.storeId, filters),
      show: toFollowup,
    });
  };
