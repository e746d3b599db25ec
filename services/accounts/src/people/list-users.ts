import type { listUsers as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { storeExists } from '../stores/store.repository.ts';
import { listStoreUsers } from './person.repository.ts';

const most = 1000;

export const listUsers =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId } }) => {
    const [exists, users] = await systemDatabase.read(context, (sql) =>
      Promise.all([storeExists(sql, storeId), listStoreUsers(sql, storeId, most)]),
    );
    if (!exists) throw new AppError('store_not_found');
    return { users };
  };
