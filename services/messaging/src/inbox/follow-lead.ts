import type { followLead as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { saveLeads } from './catch-up.repository.ts';

export const followLead =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await database.write(context, (sql) => saveLeads(sql, context.storeId, [body]));
    return { done: true };
  };
