import type { getWebhookReplay as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { findSendingState } from '../endpoints/endpoint.repository.ts';
import { findReplay } from './replay.repository.ts';
import { toWebhookReplay } from './replay.ts';

export const getWebhookReplay =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const [endpoint, replay] = await database.read(context, (sql) =>
      Promise.all([findSendingState(sql, storeId, params.endpointId), findReplay(sql, storeId, params)]),
    );
    if (!endpoint) throw new AppError('webhook_endpoint_not_found');
    if (!replay) throw new AppError('webhook_replay_not_found');
    return toWebhookReplay(replay);
  };
