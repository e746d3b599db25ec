import { retryWebhookDelivery as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findFeed } from '../../feed/event.repository.ts';
import { lockEndpoint } from '../endpoints/endpoint.repository.ts';
import type { SendingState } from '../endpoints/endpoint.ts';
import { assertEnabled } from '../endpoints/lock-enabled.ts';
import { afterOpening } from '../sending/save-due.ts';
import { findDelivery, reopenDelivery } from './delivery.repository.ts';
import { type DeliveryRow, toWebhookDelivery } from './delivery.ts';

type Retried = { readonly delivery: DeliveryRow; readonly endpoint: SendingState };

export const retryWebhookDelivery =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const result = await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const endpoint = await lockEndpoint(sql, storeId, params.endpointId);
        if (!endpoint) throw new AppError('webhook_endpoint_not_found');
        const delivery = await findDelivery(sql, storeId, params);
        if (!delivery) throw new AppError('webhook_delivery_not_found');
        assertEnabled(endpoint);
        // An attempt that runs is one already.
        if (delivery.lease_token !== null) return { delivery, endpoint };
        const { oldest_sequence } = await findFeed(sql, storeId);
        if (delivery.sequence !== null && delivery.sequence < oldest_sequence) throw new AppError('event_not_found');
        const opened = await reopenDelivery(sql, storeId, delivery.id);
        await afterOpening(sql, endpoint);
        return { delivery: opened, endpoint };
      },
      toReply: ({ delivery, endpoint }: Retried) => toWebhookDelivery(delivery, endpoint),
    });
    dependencies.nudgeSender(context.storeId);
    return result;
  };
