import type { showModels as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findConnections, toConnection } from './model-connection.repository.ts';

export const showModels =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const rows = await database.lookUp(context, (sql) => findConnections(sql, context.storeId));
    return { data: rows.map(toConnection) };
  };
