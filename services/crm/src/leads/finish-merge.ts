import type { finishMerge as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { finishMerge as finish } from './merged-lead.repository.ts';

export const finishMerge =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await database.write(context, (sql) => finish(sql, context.storeId, body.lead_id));
    return { done: true };
  };
