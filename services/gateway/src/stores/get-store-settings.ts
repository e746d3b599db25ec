import type { getStoreSettings as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStore } from './store.repository.ts';

/** What other services must know of a store to act by its clock. */
export const getStoreSettings =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const store = await database.read(context, (sql) => findStore(sql, context.storeId));
    if (!store) throw new AppError('store_not_found');
    return { timezone: store.timezone, locale: store.locale };
  };
