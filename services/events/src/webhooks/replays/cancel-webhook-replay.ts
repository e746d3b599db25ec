import { cancelWebhookReplay as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { lockEndpoint } from '../endpoints/endpoint.repository.ts';
import { saveDue } from '../sending/save-due.ts';
import { cancelWaiting, endReplay, findReplay } from './replay.repository.ts';
import { type ReplayProgress, type ReplayRow, toWebhookReplay } from './replay.ts';

export const cancelWebhookReplay =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params }) =>
    writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const endpoint = await lockEndpoint(sql, context.storeId, params.endpointId);
        const replay = await findReplay(sql, context.storeId, params);
        if (!endpoint) throw new AppError('webhook_endpoint_not_found');
        if (!replay) throw new AppError('webhook_replay_not_found');
        if (replay.status !== 'running') return replay;
        await endReplay(sql, replay, 'cancelled');
        await cancelWaiting(sql, replay);
        await saveDue(sql, endpoint);
        return (await findReplay(sql, context.storeId, params)) as ReplayRow & ReplayProgress;
      },
      toReply: toWebhookReplay,
    });
