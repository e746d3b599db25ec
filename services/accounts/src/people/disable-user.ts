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
    const { found, ended_sessions, keys } = await systemDatabase.write(context, async (sql) => {
      const found = await disableUserRow(sql, email);
      const [first] = found;
      if (!first) throw unknownUser();
      const { userId } = first;
      const ended = await endAccess(sql, userId);
      await appendAudit(sql, context, inEveryStore(found, { action: 'user.disabled' }));
      const keys: ApiKey[] = [];
      // In the order of the stores, so that two requests do not wait for each other.
      for (const { user } of found) {
        keys.push(...(await endCreations(sql, context, { storeId: user.store_id, userId, actorId: null, ...ends })));
      }
      return { found, ended_sessions: ended, keys };
    });
    if (ends.revoke_keys) announceAccessChange();
    const endpoints = await endpointsOfUser(dependencies, context, found);
    return { users: found.map(({ user }) => user), ended_sessions, keys, webhook_endpoints: endpoints };
  };
