import type { isFirstContact as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { hasEndedSession } from './session.repository.ts';

export const isFirstContact =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => ({
    first_contact: !(await database.read(context, (sql) => hasEndedSession(sql, context.storeId, body.lead_id))),
  });
