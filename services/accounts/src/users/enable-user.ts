import type { enableUser as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { enableUserRow } from './user.repository.ts';

/** The sessions and links from before stay ended: `disable` ended the sessions, and a link is for now. */
export const enableUser =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const users = await enableUserRow(sql, email);
      const [first] = users;
      if (!first) throw new AppError('user_not_found', { detail: 'No user has this email address. Check it.' });
      const entry = { actorId: null, action: 'user.enabled', subjectId: first.id } as const;
      await appendAudit(
        sql,
        context,
        users.map(({ store_id: storeId }) => ({ ...entry, storeId })),
      );
      return { users };
    });
