import type { getWebhookDelivery as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findSendingState } from '../endpoints/endpoint.repository.ts';
import { findDelivery, listAttempts } from './delivery.repository.ts';
import { toLog, toWebhookDelivery } from './delivery.ts';

export const getWebhookDelivery =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const [endpoint, row, attempts] = await database.read(context, (sql) =>
      Promise.all([
        findSendingState(sql, storeId, params.endpointId),
        findDelivery(sql, storeId, params),
        listAttempts(sql, storeId, params.deliveryId),
      ]),
    );
    if (!endpoint) throw new AppError('webhook_endpoint_not_found');
    if (!row) throw new AppError('webhook_delivery_not_found');
    return { ...toWebhookDelivery(row, endpoint), log: toLog(attempts) };
  };
