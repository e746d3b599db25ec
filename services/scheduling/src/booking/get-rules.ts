import type { getBookingRules as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findRules } from './rules.repository.ts';
import { requireRules, toRules } from './rules.ts';

export const getRules =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const [row] = await database.lookUp(context, (sql) => findRules(sql, context.storeId));
    const rules = requireRules(row);
    return reply(toRules(rules), { etag: etagOf(rules.version) });
  };
