import type { ApiKey, disableUser as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { endAccess } from './access.repository.ts';
import { endCreations } from './end-creations.ts';
import { endpointsOfUser } from './endpoints-of-user.ts';
import { inEveryStore } from './in-every-store.ts';
import { disableUserRow } from './person.repository.ts';
import { unknownUser } from './unknown-person.ts';

/** The update of the person's row waits for what opens or changes a way in, and everything later sees it. */
export const disableUser =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email, ...ends } }) => {
    const { systemDatabase, announceAccessChange } = dependencies;
    const { userId, ...disabled } = await systemDatabase.write(context, async (sql) => {
      const users = await disableUserRow(sql, email);
      const [first] = users;
      if (!first) throw unknownUser();
      const { userId } = first;
      const ended = await endAccess(sql, userId);
      await appendAudit(sql, context, inEveryStore(users, { action: 'user.disabled' }));
      const keys: ApiKey[] = [];
      // In the order of the stores, so that two requests do not wait for each other.
      for (const { user } of users) {
        keys.push(...(await endCreations(sql, context, { storeId: user.store_id, userId, actorId: null, ...ends })));
      }
      return { userId, users: users.map(({ user }) => user), ended_sessions: ended, keys };
    });
    if (ends.revoke_keys) announceAccessChange();
    const storeIds = disabled.users.map(({ store_id }) => store_id);
    return { ...disabled, webhook_endpoints: await endpointsOfUser(dependencies, context, { userId, storeIds }) };
  };
