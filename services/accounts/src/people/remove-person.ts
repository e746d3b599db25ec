import type { removePerson as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { deleteUnusedCredentials } from './access.repository.ts';
import { lockOwners, lockPerson, removeMembership } from './person.repository.ts';
import { unknownPerson } from './unknown-person.ts';

/** Every way into the store goes with the membership. The person stays in their other stores, and in the audit log. */
export const removePerson =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { userId } }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    await systemDatabase.write(context, async (sql) => {
      await lockPerson(sql, userId);
      const owners = await lockOwners(sql, storeId);
      if (owners.length === 1 && owners[0] === userId) throw new AppError('last_owner');
      if (!(await removeMembership(sql, storeId, userId))) throw unknownPerson();
      await deleteUnusedCredentials(sql, userId);
      await appendAudit(sql, context, [{ storeId, actorId, action: 'user.removed', subjectId: userId }]);
    });
    return {};
  };
