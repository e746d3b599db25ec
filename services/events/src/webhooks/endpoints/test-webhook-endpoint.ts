import { testWebhookEndpoint as operation, webhookTestType } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { insertTest } from '../deliveries/delivery.repository.ts';
import { toWebhookDelivery } from '../deliveries/delivery.ts';
import { afterOpening } from '../sending/save-due.ts';
import { lockEnabled } from './lock-enabled.ts';

export const testWebhookEndpoint =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const result = await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const endpoint = await lockEnabled(sql, storeId, params.endpointId);
        const delivery = await insertTest(sql, storeId, endpoint.id, webhookTestType);
        await afterOpening(sql, endpoint);
        return delivery;
      },
      toReply: toWebhookDelivery,
    });
    dependencies.nudgeSender(context.storeId);
    return result;
  };
