import type { getChannelConnection as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findChannel } from './channel.repository.ts';

export const getChannelConnection =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) =>
    (await database.read(context, (sql) => findChannel(sql, context.storeId))) ?? {
      provider: null,
      status: 'not_connected',
      phone: null,
    };
