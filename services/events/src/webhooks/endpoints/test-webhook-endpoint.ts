import { testWebhookEndpoint as operation, webhookTestsPerMinute, webhookTestType } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findTestQuota, insertTest } from '../deliveries/delivery.repository.ts';
import { type DeliveryRow, toWebhookDelivery } from '../deliveries/delivery.ts';
import { afterOpening } from '../sending/save-due.ts';
import type { EndpointRow } from './endpoint.ts';
import { lockEnabled } from './lock-enabled.ts';

type Tested = { readonly delivery: DeliveryRow; readonly endpoint: EndpointRow };

const tooManyTests = (retryAfterSeconds: number) =>
  new AppError('quota_exceeded', {
    detail: `The store has sent ${webhookTestsPerMinute} tests within a minute. Retry after \`Retry-After\` seconds.`,
    retryAfterSeconds,
  });

export const testWebhookEndpoint =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const result = await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const endpoint = await lockEnabled(sql, storeId, params.endpointId);
        const waitSeconds = await findTestQuota(sql, storeId, { most: webhookTestsPerMinute, seconds: 60 });
        if (waitSeconds > 0) throw tooManyTests(waitSeconds);
        const delivery = await insertTest(sql, storeId, endpoint.id, webhookTestType);
        await afterOpening(sql, endpoint);
        return { delivery, endpoint };
      },
      toReply: ({ delivery, endpoint }: Tested) => toWebhookDelivery(delivery, endpoint),
    });
    dependencies.nudgeSender(context.storeId);
    return result;
  };
