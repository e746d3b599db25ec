import type { getStoreSettings as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStore } from './store.repository.ts';

/** The time zone and locale of a store, which other services need to act in its local time. */
export const getStoreSettings =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const store = await database.read(context, (sql) => findStore(sql, context.storeId));
    if (!store) throw new AppError('store_not_found');
    return { timezone: store.timezone, locale: store.locale };
  };
