import type { createPersonLink as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { loginLinkMinutes } from '../lifetimes.ts';
import { requireRole } from '../sessions/session.ts';
import { findPerson } from './person.repository.ts';
import { makePersonLink } from './person-link.ts';
import { unknownPerson } from './unknown-person.ts';

export const createPersonLink =
  ({ systemDatabase, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { userId } }) => {
    const { store_id: storeId, user_id: actorId } = await requireRole(systemDatabase, context, 'owner');
    return await systemDatabase.write(context, async (sql) => {
      const person = await findPerson(sql, storeId, userId);
      if (!person) throw unknownPerson();
      if (person.disabled_at !== null) throw new AppError('user_disabled');
      await appendAudit(sql, context, [{ storeId, actorId, action: 'login_link.created', subjectId: userId }]);
      return await makePersonLink(sql, { storeId, userId, publicUrl, seconds: loginLinkMinutes * 60 });
    });
  };
