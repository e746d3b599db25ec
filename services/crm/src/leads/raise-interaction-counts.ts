import type { raiseInteractionCounts as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { raiseInteractionCounts as raise } from './lead-contact.repository.ts';

export const raiseInteractionCounts =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await database.write(context, (sql) => raise(sql, context.storeId, body.counts));
    return { done: true };
  };
