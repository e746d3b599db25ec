import { listFollowups as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { toFollowup } from './followup.ts';
import { countFollowups, listFollowups as listRows } from './followup-list.repository.ts';
import { bindingOf, filtersOf, rowsOf } from './followup-list.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const readPage = pagesOf({ defaultLimit, ...byTime('due_at') });

export const listFollowups =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  (context, { query }) => {
    const filters = filtersOf(query);
    const rows = rowsOf(filters);
    return readPage(database, context, query, {
      filters: bindingOf(filters),
      list: (sql, page) => listRows(sql, context.storeId, filters, page),
      count: (sql) => {
        const countRows = async () => (await countFollowups(sql, context.storeId, filters))[0].total;
        return rows ? listTotals.count(sql, context.storeId, rows, countRows) : countRows();
      },
      show: toFollowup,
      // With more filters, the values decide which index is best.
      planning: { inIndexOrder: rows !== undefined },
    });
  };
