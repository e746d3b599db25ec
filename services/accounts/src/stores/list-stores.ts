import type { listStores as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStore, listStoreRows } from './store.repository.ts';

const pageSize = 200;

export const listStores =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: only, after_id: after = null } }) => {
    const stores = await systemDatabase.read(context, async (sql) => {
      if (only === undefined) return await listStoreRows(sql, after, pageSize + 1);
      const store = await findStore(sql, only);
      return store ? [store] : [];
    });
    return { stores: stores.slice(0, pageSize), more: stores.length > pageSize };
  };
