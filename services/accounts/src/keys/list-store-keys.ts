import type { listStoreKeys as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { listApiKeyRows } from './api-key.repository.ts';
import { nameCreators } from './name-creators.ts';

export const listStoreKeys =
  ({ database, systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { store_id: storeId } = await requireSession(systemDatabase, context);
    const keys = await database.read({ storeId, deadline: context.deadline }, (sql) => listApiKeyRows(sql, storeId));
    return { data: await nameCreators(systemDatabase, context, { storeId, keys }) };
  };
