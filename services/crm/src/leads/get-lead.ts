import type { getLead as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLead } from './lead.repository.ts';
import { toLead } from './lead.ts';

export const getLead =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const row = await database.read(context, (sql) => findLead(sql, context.storeId, params.leadId));
    if (!row) throw new AppError('lead_not_found');
    return reply(toLead(row, new Date()), { etag: etagOf(row.version) });
  };
