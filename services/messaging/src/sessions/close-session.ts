import { closeSession as operation } from '@mostrador/contracts';
import { writeOnce } from '@mostrador/kit/idempotency/idempotency';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { countWaiting, lockConversation } from '../conversations/conversation.repository.ts';
import { requireLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { closeSession as closeRow, recordClose } from './session.repository.ts';
import { toSession } from './session.ts';

export const closeSession =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params }) => {
    const { storeId } = context;
    const { leadId, sessionId } = params;
    const closing = writeOnce(dependencies, context, operation, {
      work: async (sql) => {
        // First, so that a message of the lead comes before the close or opens a new session.
        await lockConversation(sql, storeId, leadId);
        const row = await closeRow(sql, storeId, leadId, sessionId);
        if (!row) throw new AppError('session_not_found');
        await recordClose(sql, storeId, leadId, sessionId);
        await countWaiting(sql, storeId, leadId);
        return row;
      },
      toReply: toSession,
    });
    return await closing.catch(async (error) => {
      // A merge may have moved the session. Then the error names the lead that has it now.
      if (error instanceof AppError && error.code === 'session_not_found') {
        await requireLead(dependencies, context, leadId);
      }
      throw error;
    });
  };
