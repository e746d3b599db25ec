import type { getCalendarConnection as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findConnection } from './connection.repository.ts';

export const getConnection =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const connection = await database.read(context, (sql) => findConnection(sql, context.storeId));
    return connection
      ? { provider: connection.provider, status: connection.status }
      : { provider: null, status: 'not_connected' };
  };
