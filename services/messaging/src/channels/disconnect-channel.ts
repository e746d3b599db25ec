import type { disconnectChannel as operation } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { endLiveChannel, lockChannelsForUpdate } from './channel.repository.ts';

export const disconnectChannel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    await disconnect(dependencies, context);
    return { done: true as const };
  };

/**
 * Ends the live channel. Queued messages stay in the queue, and are sent when a channel is connected again. Throws
 * `channel_not_connected`.
 */
export async function disconnect({ database }: Pick<Dependencies, 'database'>, context: StoreContext): Promise<void> {
  const { storeId } = context;
  await database.write(context, async (sql) => {
    await lockChannelsForUpdate(sql, storeId);
    if (!(await endLiveChannel(sql, storeId))) throw new AppError('channel_not_connected');
  });
}
