import type { checkLead as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLeadId } from './lead.repository.ts';
import { leadNotFound } from './lead-not-found.ts';

export const checkLead =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const [lead] = await database.lookUp(context, (sql) => findLeadId(sql, context.storeId, body.lead_id));
    if (!lead) throw await database.read(context, (sql) => leadNotFound(sql, context.storeId, body.lead_id));
    return { id: body.lead_id };
  };
