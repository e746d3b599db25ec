import type { raiseInteractionCount as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc-server';
import type { Dependencies } from '../dependencies.ts';
import { raiseInteractionCount as raise } from './lead-contact.repository.ts';

export const raiseInteractionCount =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await database.write(context, (sql) => raise(sql, context.storeId, body.lead_id, body.interaction_count));
    return { done: true };
  };
