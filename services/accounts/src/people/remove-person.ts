import type { removePerson as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { deleteUnusedCredentials } from './access.repository.ts';
import { endCreations } from './end-creations.ts';
import { pauseEndpoints } from './pause-endpoints.ts';
import { findUserId, lockOwners, lockPerson, removeMembership } from './person.repository.ts';
import { unknownPerson } from './unknown-person.ts';

/** Every way into the store goes with the membership. The person stays in their other stores, and in the audit log. */
export const removePerson =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params: { userId: personId }, query }) => {
    const { systemDatabase, announceAccessChange } = dependencies;
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    await systemDatabase.write(context, async (sql) => {
      const userId = await findUserId(sql, storeId, personId);
      if (userId === null) throw unknownPerson();
      await lockPerson(sql, userId);
      const owners = await lockOwners(sql, storeId);
      if (owners.length === 1 && owners[0] === userId) throw new AppError('last_owner');
      if (!(await removeMembership(sql, storeId, userId))) throw unknownPerson();
      await deleteUnusedCredentials(sql, userId);
      await appendAudit(sql, context, [{ storeId, actorId, action: 'user.removed', subjectId: userId }]);
      await endCreations(sql, context, { storeId, userId, actorId, ...query });
    });
    if (query?.revoke_keys) announceAccessChange();
    if (query?.pause_webhooks) {
      await pauseEndpoints(dependencies).catch((error) => {
        context.log.warn({ err: error }, 'webhook endpoints of a removed person are not paused yet');
      });
    }
    return {};
  };
