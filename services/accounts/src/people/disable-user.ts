import type { disableUser as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { endAccess } from './access.repository.ts';
import { inEveryStore } from './in-every-store.ts';
import { disableUserRow } from './person.repository.ts';
import { unknownUser } from './unknown-person.ts';

/** The update of the person's row waits for what opens or changes a way in, and everything later sees it. */
export const disableUser =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const users = await disableUserRow(sql, email);
      const [first] = users;
      if (!first) throw unknownUser();
      const ended = await endAccess(sql, first.id);
      await appendAudit(sql, context, inEveryStore(users, { action: 'user.disabled' }));
      return { users, ended_sessions: ended };
    });
