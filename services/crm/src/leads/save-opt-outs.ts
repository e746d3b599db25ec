import type { saveOptOuts as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { saveOptOuts as save } from './lead-contact.repository.ts';

export const saveOptOuts =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await database.write(context, (sql) => save(sql, context.storeId, body.opt_outs));
    return { done: true };
  };
