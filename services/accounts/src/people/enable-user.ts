import type { enableUser as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { endAccess } from './access.repository.ts';
import { inEveryStore } from './in-every-store.ts';
import { enableUserRow } from './person.repository.ts';
import { unknownUser } from './unknown-person.ts';

/** Ends also what a store gave the disabled person. */
export const enableUser =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const { users, wasDisabled } = await enableUserRow(sql, email);
      const [first] = users;
      if (!first) throw unknownUser();
      if (wasDisabled) await endAccess(sql, first.userId);
      await appendAudit(sql, context, inEveryStore(users, { action: 'user.enabled' }));
      return { users: users.map(({ user }) => user) };
    });
