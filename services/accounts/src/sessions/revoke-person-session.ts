import type { revokePersonSession as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { endSessionWithin } from './session.repository.ts';
import { requireSession } from './session.ts';

/** A person ends only their own sessions. That of another person is not found, as one that does not exist. */
export const revokePersonSession =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { sessionId } }) => {
    const session = await requireSession(systemDatabase, context);
    const { user_id: userId } = session;
    await systemDatabase.write(context, async (sql) => {
      const storeId = await endSessionWithin(sql, session, sessionId);
      if (storeId === null) throw new AppError('user_session_not_found');
      await appendAudit(sql, context, [{ storeId, actorId: userId, action: 'session.revoked', subjectId: sessionId }]);
    });
    return {};
  };
