import type { disconnectStoreModel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { deleteConnections } from './model-connection.repository.ts';
import { readStoreAi } from './read-store-ai.ts';

export const disconnectStoreModel =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params: { provider } }) => {
    await dependencies.database.write(context, (sql) => deleteConnections(sql, context.storeId, provider));
    return await readStoreAi(dependencies, context);
  };
