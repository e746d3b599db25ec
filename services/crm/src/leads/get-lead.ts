import type { getLead as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLead } from './lead.repository.ts';
import { leadEtag, toLead } from './lead.ts';

export const getLead =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const row = await database.read(context, (sql) => findLead(sql, context.storeId, params.leadId));
    if (!row) throw new AppError('lead_not_found');
    const now = new Date();
    return reply(toLead(row, now), { etag: leadEtag(row, now) });
  };
