import type { unlinkUser as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { unlinkIdentities } from '../oidc/oidc.repository.ts';
import { endSessionsOf } from '../sessions/session.repository.ts';
import { findUser } from './user.repository.ts';

/** The account may be somebody else's by now, so what it opened ends with it. */
export const unlinkUser =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const users = await findUser(sql, email);
      const [first] = users;
      if (!first) throw new AppError('user_not_found', { detail: 'No user has this email address. Check it.' });
      const unlinked = await unlinkIdentities(sql, first.id);
      const ended = unlinked ? await endSessionsOf(sql, first.id) : 0;
      const entry = { actorId: null, action: 'oidc.unlinked', subjectId: first.id } as const;
      await appendAudit(sql, context, unlinked ? users.map(({ store_id: storeId }) => ({ ...entry, storeId })) : []);
      return { users, unlinked, ended_sessions: ended };
    });
