import type { switchStore as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockPerson } from '../people/person.repository.ts';
import { openSession } from './open-session.ts';
import { isReachableStore } from './reach.repository.ts';
import { requireSession } from './session.ts';

/** It is no new proof of who the person is, so the new session ends when the old one would have ended. */
export const switchStore =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId } }) => {
    const previous = await requireSession(systemDatabase, context);
    const { user_id: userId, reach, opened_by: openedBy, passkey_id: passkeyId } = previous;
    return await systemDatabase.write(context, async (sql) => {
      await lockPerson(sql, userId);
      if (!(await isReachableStore(sql, previous, storeId))) {
        throw new AppError('store_not_found', { detail: 'You cannot go to this store. Open a login link of it.' });
      }
      const left = { storeId: previous.store_id, actorId: userId, subjectId: previous.id };
      await appendAudit(sql, context, [{ ...left, action: 'session.ended' }]);
      return await openSession(sql, context, {
        ...{ storeId, userId, reach, openedBy, passkeyId, previous, continues: previous },
      });
    });
  };
