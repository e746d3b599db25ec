import type { renamePasskey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { renamePasskeyRow } from './passkey.repository.ts';

export const renamePasskey =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { passkeyId }, body: { name } }) => {
    const session = await requireSession(systemDatabase, context);
    const { user_id: userId, store_id: storeId } = session;
    return await systemDatabase.write(context, async (sql) => {
      const passkey = await renamePasskeyRow(sql, session, { passkeyId, name });
      if (!passkey) throw new AppError('passkey_not_found');
      await appendAudit(sql, context, [{ storeId, actorId: userId, action: 'passkey.renamed', subjectId: passkeyId }]);
      return passkey;
    });
  };
