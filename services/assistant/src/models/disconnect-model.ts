import type { disconnectModel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { deleteConnection } from './model-connection.repository.ts';

export const disconnectModel =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    await database.write(context, (sql) => deleteConnection(sql, context.storeId));
    return { done: true };
  };
