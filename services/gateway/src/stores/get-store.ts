import { getCalendarConnection, getChannelConnection, type getStore as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStore } from './store.repository.ts';

/** The key's store, with its calendar connection from scheduling, and its channel connection and a setting from messaging. */
export const getStore =
  ({ database, rpc }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const [store, calendar, { opt_out_stops_api, ...channel }] = await Promise.all([
      database.read(context, (sql) => findStore(sql, context.storeId)),
      rpc.call(getCalendarConnection, {}, context),
      rpc.call(getChannelConnection, {}, context),
    ]);
    if (!store) throw new AppError('store_not_found');
    return { ...store, calendar, channel, opt_out_stops_api };
  };
