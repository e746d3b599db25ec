import type { showModel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findConnection, toConnection } from './model-connection.repository.ts';

export const showModel =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const [row] = await database.lookUp(context, (sql) => findConnection(sql, context.storeId));
    return toConnection(row);
  };
