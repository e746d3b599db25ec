import type { findLeadByPhone as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLeadIdByPhone } from './lead.repository.ts';

export const findLeadByPhone =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => ({
    id: await database.read(context, (sql) => findLeadIdByPhone(sql, context.storeId, body.customer_phone)),
  });
