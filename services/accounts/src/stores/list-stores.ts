import type { listStores as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listStoreRows } from './store.repository.ts';

const pageSize = 200;

export const listStores =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const stores = await systemDatabase.read(context, (sql) => listStoreRows(sql, body.after_id ?? null, pageSize + 1));
    return { stores: stores.slice(0, pageSize), more: stores.length > pageSize };
  };
