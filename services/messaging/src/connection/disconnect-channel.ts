import type { disconnectChannel as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { endLiveChannel, lockChannelsForUpdate } from '../channels/channel.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { forgetTemplates } from '../templates/template.repository.ts';

/** Queued messages stay in the queue and are sent when a channel is connected again. */
export const disconnectChannel =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { storeId } = context;
    await database.write(context, async (sql) => {
      await lockChannelsForUpdate(sql, storeId);
      if (!(await endLiveChannel(sql, storeId))) throw new AppError('channel_not_connected');
      await forgetTemplates(sql, storeId);
    });
    return { done: true as const };
  };
