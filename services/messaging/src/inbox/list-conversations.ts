import { faultsOfSearch, listConversations as operation, searchLeads } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { limitingSeller } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findLiveChannel } from '../channels/channel.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { catchUpStore } from './catch-up.ts';
import { countConversations, listConversations as listRows } from './inbox.repository.ts';
import { bindingOf, defaultSort, filtersOf, type InboxFilters, isEmpty, rowsOf, toInboxConversation } from './inbox.ts';

const readPage = pagesOf({
  defaultLimit: operation.request.query.properties.limit.default as number,
  ...byTime('ordered_at'),
});

export const listConversations =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { database, rpc, listTotals } = dependencies;
    const { storeId } = context;
    const faults = query.q === undefined ? [] : faultsOfSearch(query.q);
    if (faults.length > 0) throw validationFailed(faults);
    const now = new Date();
    const limit = limitingSeller(context);
    const { sort = defaultSort } = query;
    const [channel, found] = await Promise.all([
      database.read(context, (sql) => findLiveChannel(sql, storeId)),
      query.q === undefined ? undefined : rpc.call(searchLeads, { body: { q: query.q, visible_to: limit } }, context),
      catchUpStore(dependencies, context),
    ]);
    const filters: InboxFilters = {
      ...filtersOf(query, { limit, now }),
      ...(found ? { lead_ids: found.lead_ids } : {}),
    };
    const rows = rowsOf(filters);
    return await readPage(database, context, query, {
      filters: bindingOf(query, limit),
      list: async (sql, page) => (isEmpty(filters) ? [] : await listRows(sql, storeId, filters, { ...page, sort })),
      count: async (sql) => {
        if (isEmpty(filters)) return 0;
        const countRows = async () => (await countConversations(sql, storeId, filters))[0].total;
        return await (rows ? listTotals.count(sql, storeId, rows, countRows) : countRows());
      },
      show: toInboxConversation(channel, now),
    });
  };
