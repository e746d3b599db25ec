import type { connectModel as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { saveConnection, toConnection } from './model-connection.repository.ts';

export const connectModel =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { provider } }) =>
    toConnection(await database.write(context, (sql) => saveConnection(sql, context.storeId, provider)));
