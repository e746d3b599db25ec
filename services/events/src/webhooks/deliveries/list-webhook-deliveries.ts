import { listWebhookDeliveries as operation } from '@mostrador/contracts';
import { byTime, pagesOf } from '@mostrador/kit/database/paging';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findSendingState } from '../endpoints/endpoint.repository.ts';
import { countDeliveries, listDeliveries } from './delivery.repository.ts';
import { toWebhookDelivery } from './delivery.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const readPage = pagesOf({ defaultLimit, ...byTime('created_at') });

export const listWebhookDeliveries =
  ({ database, listTotals }: Dependencies): Handler<typeof operation> =>
  async (context, { params, query }) => {
    const { storeId } = context;
    const filter = { endpointId: params.endpointId, ...(query.status === undefined ? {} : { status: query.status }) };
    const owners = [params.endpointId];
    const rows = { list: 'webhook_deliveries', owners, ...(query.status ? { statuses: [query.status] } : {}) } as const;
    const endpoint = await database.read(context, (sql) => findSendingState(sql, storeId, params.endpointId));
    if (!endpoint) throw new AppError('webhook_endpoint_not_found');
    return await readPage(database, context, query, {
      filters: filter,
      list: (sql, page) => listDeliveries(sql, storeId, filter, page),
      count: (sql) => listTotals.count(sql, storeId, rows, () => countDeliveries(sql, storeId, filter)),
      show: (row) => toWebhookDelivery(row, endpoint),
    });
  };
