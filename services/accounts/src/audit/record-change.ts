import type { recordChange as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { appendAudit } from './audit.repository.ts';

export const recordChange =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    const entry = {
      storeId,
      actorId,
      action: body.action as `${string}.${string}`,
      subjectId: body.subject_id,
      details: body.details,
    };
    await systemDatabase.write(context, (sql) => appendAudit(sql, context, [entry]));
    return { done: true };
  };
