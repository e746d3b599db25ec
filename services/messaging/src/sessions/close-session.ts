import { closeSession as operation } from '@mostrador/contracts';
import { withIdempotency } from '@mostrador/kit/delivery/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { closeSession as closeRow } from './session.repository.ts';
import { toSession } from './session.ts';

export const closeSession =
  ({ database, relay }: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const result = await withIdempotency({
      database,
      context,
      operation,
      run: (commit) =>
        commit(async (sql) => {
          const row = await closeRow(sql, context.storeId, params.leadId, params.sessionId);
          if (!row) throw new AppError('session_not_found');
          return row;
        }),
      toReply: toSession,
    });
    relay.nudge();
    return result;
  };
