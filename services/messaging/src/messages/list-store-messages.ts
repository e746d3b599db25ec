import { listStoreMessages as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import { findSettledMoment } from '@mostrador/kit/database/settled-moment';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { toListedMessage } from './listed-messages.ts';
import { countStoreMessages, countUnsettled, listStoreMessages as listRows } from './message-list.repository.ts';
import { bindingOf, filtersBeyond, filtersOf, rowsOf } from './message-list.ts';

const readPage = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  ...byTime('updated_at'),
});

export const listStoreMessages =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { storeId } = context;
    // It comes before the page: docs/adr/0010.
    const settled = await database.read(context, findSettledMoment);
    const filters = filtersOf(query, settled);
    const rows = rowsOf(filters);
    return await readPage(database, context, query, {
      filters: bindingOf(query),
      list: async (sql, page) => {
        if (filters.statuses.length === 0) return [];
        const needed = 'after' in page.start ? filtersBeyond(filters, page.start.after.at) : filters;
        return await listRows(sql, storeId, needed, page);
      },
      count: async (sql) => {
        const countRows = async () => (await countStoreMessages(sql, storeId, filters))[0].total;
        if (!rows) return await countRows();
        const except = countUnsettled(sql, storeId, filters);
        return await listTotals.count(sql, storeId, { ...rows, except }, countRows);
      },
      show: toListedMessage(),
    });
  };
