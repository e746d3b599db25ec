import type { getLead as operation } from '@mostrador/contracts';
import { limitingSeller } from '@mostrador/kit/rpc/person';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLead } from './lead.repository.ts';
import { isVisible, leadEtag, toLead } from './lead.ts';
import { leadNotFound } from './lead-not-found.ts';

export const getLead =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const [row] = await database.lookUp(context, (sql) => findLead(sql, context.storeId, params.leadId));
    if (!row || !isVisible(row, limitingSeller(context)))
      throw await database.read(context, (sql) => leadNotFound(sql, context.storeId, params.leadId));
    const now = new Date();
    return reply(toLead(row, now), { etag: leadEtag(row, now) });
  };
