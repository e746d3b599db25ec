import { getCalendarConnection, getChannelConnection, type getStore as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import type { OwnHandler } from '../own-handler.ts';
import { findStore } from './store.repository.ts';

/**
 * The key's store, with its calendar connection and sending windows from scheduling, and its channel connection and a
 * setting and the budget from messaging.
 */
export const getStore =
  ({ lookUps, rpc }: Dependencies): OwnHandler<typeof operation> =>
  async (context) => {
    const [store, { sending_windows, ...calendar }, { opt_out_stops_api, message_budget, ...channel }] =
      await Promise.all([
        findStore(lookUps, context),
        rpc.call(getCalendarConnection, {}, context),
        rpc.call(getChannelConnection, {}, context),
      ]);
    if (!store) throw new AppError('store_not_found');
    return {
      ...{ ...store, calendar, channel, opt_out_stops_api },
      ...(message_budget === undefined ? {} : { message_budget }),
      ...(sending_windows ? { sending_windows } : {}),
    };
  };
