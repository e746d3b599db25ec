import type { createPersonLink as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { loginLinkMinutes } from '../lifetimes.ts';
import { requireSession } from '../sessions/session.ts';
import { makeLoginLink } from './make-login-link.ts';
import { findPerson, findUserId, lockPerson } from './person.repository.ts';
import { unknownPerson } from './unknown-person.ts';

export const createPersonLink =
  ({ systemDatabase, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { userId: personId } }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    return await systemDatabase.write(context, async (sql) => {
      const userId = await findUserId(sql, storeId, personId);
      if (userId === null) throw unknownPerson();
      const isEnabled = await lockPerson(sql, userId);
      const user = await findPerson(sql, storeId, userId);
      if (!user) throw unknownPerson();
      if (!isEnabled) throw new AppError('user_disabled');
      await appendAudit(sql, context, [{ storeId, actorId, action: 'login_link.created', subjectId: userId }]);
      const seconds = loginLinkMinutes * 60;
      return { user, ...(await makeLoginLink(sql, { storeId, userId, reach: 'store', publicUrl, seconds })) };
    });
  };
