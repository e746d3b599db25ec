import type { getWebhookEndpoint as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findEndpoint } from './endpoint.repository.ts';
import { endpointEtag, toWebhookEndpoint } from './endpoint.ts';

export const getWebhookEndpoint =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const row = await database.read(context, (sql) => findEndpoint(sql, context.storeId, params.endpointId));
    if (!row) throw new AppError('webhook_endpoint_not_found');
    return reply(toWebhookEndpoint(row), { etag: endpointEtag(row) });
  };
