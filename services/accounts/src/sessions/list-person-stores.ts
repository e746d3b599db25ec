import type { listPersonStores as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listReachableStores } from './reachable-stores.repository.ts';
import { requireSession } from './session.ts';

export const listPersonStores =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const session = await requireSession(systemDatabase, context);
    const stores = await systemDatabase.read(context, (sql) => listReachableStores(sql, session));
    return { data: stores.map((store) => ({ ...store, current: store.id === session.store_id })) };
  };
