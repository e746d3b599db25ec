import type { createLoginLink as operation } from '@mostrador/contracts';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { loginLinkMinutes } from '../lifetimes.ts';
import { makeLoginLink } from './make-login-link.ts';
import { findUser, lockPerson } from './person.repository.ts';

export const createLoginLink =
  ({ systemDatabase, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: asked, email } }) =>
    await systemDatabase.write(context, async (sql) => {
      const found = await findUser(sql, email);
      const [one, second] = asked === undefined ? found : found.filter(({ user }) => user.store_id === asked);
      if (!one) throw new AppError('user_not_found');
      if (second) {
        throw validationFailed([
          { pointer: '#/store_id', detail: 'is needed, because the person is in several stores' },
        ]);
      }
      const { user, userId } = one;
      const { store_id: storeId } = user;
      if (!(await lockPerson(sql, userId))) throw new AppError('user_disabled');
      await appendAudit(sql, context, [{ storeId, actorId: null, action: 'login_link.created', subjectId: userId }]);
      const seconds = loginLinkMinutes * 60;
      return { user, ...(await makeLoginLink(sql, { storeId, userId, reach: 'all', publicUrl, seconds })) };
    });
