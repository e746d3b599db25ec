import type { removePasskey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { deletePasskey } from './passkey.repository.ts';

export const removePasskey =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { passkeyId } }) => {
    const session = await requireSession(systemDatabase, context);
    const { user_id: userId, store_id: storeId } = session;
    await systemDatabase.write(context, async (sql) => {
      if (!(await deletePasskey(sql, session, passkeyId))) throw new AppError('passkey_not_found');
      await appendAudit(sql, context, [{ storeId, actorId: userId, action: 'passkey.removed', subjectId: passkeyId }]);
    });
    return {};
  };
