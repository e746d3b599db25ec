import type { disconnectModels as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { deleteConnections } from './model-connection.repository.ts';

export const disconnectModels =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { provider } }) => {
    await database.write(context, (sql) => deleteConnections(sql, context.storeId, provider));
    return { done: true };
  };
