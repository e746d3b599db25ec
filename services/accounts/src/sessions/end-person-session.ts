import type { endPersonSession as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { endSessionRow } from './session.repository.ts';
import { requireSession } from './session.ts';

export const endPersonSession =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { id, user_id: userId, store_id: storeId } = await requireSession(systemDatabase, context);
    await systemDatabase.write(context, async (sql) => {
      if (!(await endSessionRow(sql, id))) return;
      await appendAudit(sql, context, [{ storeId, actorId: userId, action: 'session.ended', subjectId: id }]);
    });
    return {};
  };
