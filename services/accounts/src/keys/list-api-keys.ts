import type { listApiKeys as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStore } from '../stores/store.repository.ts';
import { listApiKeyRows } from './api-key.repository.ts';
import { nameCreators } from './name-creators.ts';

export const listApiKeys =
  ({ database, systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId } }) => {
    const scope = { storeId, deadline: context.deadline };
    const [store, keys] = await Promise.all([
      database.read(scope, (sql) => findStore(sql, storeId)),
      database.read(scope, (sql) => listApiKeyRows(sql, storeId)),
    ]);
    if (!store) throw new AppError('store_not_found');
    return { keys: await nameCreators(systemDatabase, context, { storeId, keys }) };
  };
