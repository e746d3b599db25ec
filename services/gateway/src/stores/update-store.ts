import type { updateStore as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/errors';
import type { Handler } from '@mostrador/kit/rpc-server';
import type { Dependencies } from '../dependencies.ts';
import { updateStoreRow } from './store.repository.ts';

export const updateStore =
  ({ database, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId, ...changes } }) => {
    const store = await database.write({ storeId, deadline: context.deadline }, (sql) =>
      updateStoreRow(sql, storeId, changes),
    );
    if (!store) throw new AppError('store_not_found');
    announceAccessChange();
    return store;
  };
