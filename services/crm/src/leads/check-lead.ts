import type { checkLead as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { leadExists } from './lead.repository.ts';

export const checkLead =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const exists = await database.read(context, (sql) => leadExists(sql, context.storeId, body.lead_id));
    if (!exists) throw new AppError('lead_not_found');
    return { id: body.lead_id };
  };
