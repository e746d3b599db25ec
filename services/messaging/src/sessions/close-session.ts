import { closeSession as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { closeSession as closeRow } from './session.repository.ts';
import { toSession } from './session.ts';

export const closeSession =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    return await writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        const row = await closeRow(sql, context.storeId, params.leadId, params.sessionId);
        if (!row) throw new AppError('session_not_found');
        return row;
      },
      toReply: toSession,
    });
  };
