import type { findLeadByPhone as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLeadIdOfCustomer } from './lead.repository.ts';

export const findLeadByPhone =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => ({
    id: await database.read(context, (sql) => findLeadIdOfCustomer(sql, context.storeId, body)),
  });
