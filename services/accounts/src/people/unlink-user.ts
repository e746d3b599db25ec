import type { unlinkUser as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { unlinkIdentities } from '../oidc/oidc.repository.ts';
import { endSessionsOf } from '../sessions/session.repository.ts';
import { inEveryStore } from './in-every-store.ts';
import { findUser, lockPerson } from './person.repository.ts';
import { unknownUser } from './unknown-person.ts';

/** Another person may have the account by now, so what it opened ends with it. */
export const unlinkUser =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const users = await findUser(sql, email);
      const [first] = users;
      if (!first) throw unknownUser();
      const { userId } = first;
      await lockPerson(sql, userId);
      const shown = users.map(({ user }) => user);
      if (!(await unlinkIdentities(sql, userId))) return { users: shown, unlinked: false, ended_sessions: 0 };
      const ended = await endSessionsOf(sql, userId);
      await appendAudit(sql, context, inEveryStore(users, { action: 'oidc.unlinked' }));
      return { users: shown, unlinked: true, ended_sessions: ended };
    });
