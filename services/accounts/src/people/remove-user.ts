import type { removeUser as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { deleteUnusedCredentials } from './access.repository.ts';
import { findStoreUser, lockPerson, removeMembership } from './person.repository.ts';

/** The operator may remove the last owner too, and can invite another. */
export const removeUser =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId, email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const user = await findStoreUser(sql, storeId, email);
      if (!user) throw new AppError('user_not_found');
      await lockPerson(sql, user.id);
      await removeMembership(sql, storeId, user.id);
      await deleteUnusedCredentials(sql, user.id);
      await appendAudit(sql, context, [{ storeId, actorId: null, action: 'user.removed', subjectId: user.id }]);
      return user;
    });
