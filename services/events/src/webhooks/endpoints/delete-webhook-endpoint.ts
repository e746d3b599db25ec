import { deleteWebhookEndpoint as operation } from '@mostrador/contracts';
import { assertIfMatch } from '@mostrador/kit/database/etag';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { lockEndpoint, markDeleted } from './endpoint.repository.ts';

/** The purge deletes the rows. From this transaction on the endpoint does not exist for anybody else. */
export const deleteWebhookEndpoint =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params }) =>
    writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const endpoint = await lockEndpoint(sql, context.storeId, params.endpointId);
        if (!endpoint) throw new AppError('webhook_endpoint_not_found');
        assertIfMatch(context, endpoint.version);
        await markDeleted(sql, endpoint);
        return endpoint.id;
      },
      toReply: (id: string) => ({ deleted: true as const, id }),
    });
