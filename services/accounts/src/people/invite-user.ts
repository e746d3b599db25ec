import type { inviteUser as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { invitationDays } from '../lifetimes.ts';
import { storeExists } from '../stores/store.repository.ts';
import { makeLoginLink } from './make-login-link.ts';
import { ensureUser, type FoundUser, findStoreUser, lockPerson, setMembership } from './person.repository.ts';
import { assertSellerOfRole } from './seller-of-person.ts';

export const inviteUser =
  ({ systemDatabase, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { store_id: storeId, email, name, role, seller_id: sellerId = null } = body;
    assertSellerOfRole(role, sellerId);
    return await systemDatabase.write(context, async (sql) => {
      if (!(await storeExists(sql, storeId))) throw new AppError('store_not_found');
      const userId = await ensureUser(sql, email, name);
      await lockPerson(sql, userId);
      await setMembership(sql, { storeId, userId, name, role, sellerId });
      const { user } = (await findStoreUser(sql, storeId, email)) as FoundUser;
      await appendAudit(sql, context, [
        { storeId, actorId: null, action: 'user.invited', subjectId: userId, details: { role } },
      ]);
      const seconds = invitationDays * 86_400;
      return { user, ...(await makeLoginLink(sql, { storeId, userId, reach: 'store', publicUrl, seconds })) };
    });
  };
