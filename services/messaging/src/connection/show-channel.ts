import type { showChannel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findHistoryState } from '../inbound/history.repository.ts';
import { readChannel } from './read-channel.ts';

export const showChannel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { last_error, refused_at: _, ...channel } = await readChannel(dependencies, context);
    const history = await dependencies.database.read(context, (sql) => findHistoryState(sql, context.storeId));
    return { ...channel, history, last_error: last_error && `${last_error.code}: ${last_error.detail}` };
  };
