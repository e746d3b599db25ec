import type { getBookingRules as operation } from '@mostrador/contracts';
import { etagOf } from '@mostrador/kit/database/etag';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, reply } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findRules } from './rules.repository.ts';
import { toRules } from './rules.ts';

export const getRules =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const [row] = await database.lookUp(context, (sql) => findRules(sql, context.storeId));
    if (!row) {
      throw new AppError('booking_rules_not_found', {
        detail: 'The store has no booking rules. Set them with `PUT /booking/rules`.',
      });
    }
    return reply(toRules(row), { etag: etagOf(row.version) });
  };
