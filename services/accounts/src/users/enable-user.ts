import type { enableUser as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { inEveryStore } from './in-every-store.ts';
import { unknownUser } from './unknown-user.ts';
import { enableUserRow } from './user.repository.ts';

/** The sessions and links from before stay ended: `disable` ended the sessions, and a link is for now. */
export const enableUser =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const users = await enableUserRow(sql, email);
      if (users.length === 0) throw unknownUser();
      await appendAudit(sql, context, inEveryStore(users, { action: 'user.enabled' }));
      return { users };
    });
