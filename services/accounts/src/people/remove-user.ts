import type { removeUser as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { deleteUnusedCredentials } from './access.repository.ts';
import { endCreations } from './end-creations.ts';
import { endpointsOfUser } from './endpoints-of-user.ts';
import { findStoreUser, lockPerson, removeMembership } from './person.repository.ts';

/** The operator may remove the last owner too, and can invite another. */
export const removeUser =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId, email, ...ends } }) => {
    const { systemDatabase, announceAccessChange } = dependencies;
    const { found, keys } = await systemDatabase.write(context, async (sql) => {
      const found = await findStoreUser(sql, storeId, email);
      if (!found) throw new AppError('user_not_found');
      const { userId } = found;
      await lockPerson(sql, userId);
      await removeMembership(sql, storeId, userId);
      await deleteUnusedCredentials(sql, userId);
      await appendAudit(sql, context, [{ storeId, actorId: null, action: 'user.removed', subjectId: userId }]);
      return { found, keys: await endCreations(sql, context, { storeId, userId, actorId: null, ...ends }) };
    });
    if (ends.revoke_keys) announceAccessChange();
    const endpoints = await endpointsOfUser(dependencies, context, [found]);
    return { ...found.user, keys, webhook_endpoints: endpoints };
  };
