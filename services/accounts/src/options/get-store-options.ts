import type { getStoreOptions as operation, StoreRecord } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { findStore } from '../stores/store.repository.ts';
import { askServices, partsOf, shownOf } from './ask-settings.ts';

export const getStoreOptions =
  ({ database, systemDatabase, rpc }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { store_id: storeId } = await requireSession(systemDatabase, context);
    const scope = { ...context, storeId };
    const [store, others] = await Promise.all([
      database.read(scope, (sql) => findStore(sql, storeId)),
      askServices(rpc, scope, partsOf({})),
    ]);
    return { ...shownOf(store as StoreRecord), ...others };
  };
