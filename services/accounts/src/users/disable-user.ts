import type { disableUser as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { endSessionsOf } from '../sessions/session.repository.ts';
import { disableUserRow } from './user.repository.ts';

/** A login link checks by itself whether its person is disabled. */
export const disableUser =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const users = await disableUserRow(sql, email);
      const [first] = users;
      if (!first) throw new AppError('user_not_found', { detail: 'No user has this email address. Check it.' });
      const ended = await endSessionsOf(sql, first.id);
      const entry = { actorId: null, action: 'user.disabled', subjectId: first.id } as const;
      await appendAudit(
        sql,
        context,
        users.map(({ store_id: storeId }) => ({ ...entry, storeId })),
      );
      return { users, ended_sessions: ended };
    });
