import { listWebhookEndpoints as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { countEndpoints, listEndpoints } from './endpoint.repository.ts';
import { toWebhookEndpoint } from './endpoint.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const readPage = pagesOf({ defaultLimit, ...byTime('created_at') });

export const listWebhookEndpoints =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  (context, { query }) =>
    readPage(database, context, query, {
      filters: {},
      list: async (sql, page) => await listEndpoints(sql, context.storeId, page),
      count: (sql) =>
        listTotals.count(sql, context.storeId, { list: 'webhook_endpoints' }, () =>
          countEndpoints(sql, context.storeId),
        ),
      show: toWebhookEndpoint,
    });
