import type { invitePerson as operation, Person } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { invitationDays } from '../lifetimes.ts';
import { requireSession } from '../sessions/session.ts';
import { makeLoginLink } from './make-login-link.ts';
import { addMembership, ensureUser, findPerson, lockPerson } from './person.repository.ts';
import { assertActiveSeller, assertSellerOfRole } from './seller-of-person.ts';

export const invitePerson =
  ({ systemDatabase, rpc, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { email, name, role, seller_id: sellerId } }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    assertSellerOfRole(role, sellerId);
    await assertActiveSeller(rpc, context, storeId, sellerId);
    return await systemDatabase.write(context, async (sql) => {
      const userId = await ensureUser(sql, email, name);
      await lockPerson(sql, userId);
      if (!(await addMembership(sql, { storeId, userId, name, role, sellerId }))) {
        throw new AppError('user_exists', { members: { id: (await findPerson(sql, storeId, userId))?.id } });
      }
      const entry = { storeId, actorId, action: 'user.invited' as const, subjectId: userId, details: { role } };
      await appendAudit(sql, context, [entry]);
      const user = (await findPerson(sql, storeId, userId)) as Person;
      const seconds = invitationDays * 86_400;
      return { user, ...(await makeLoginLink(sql, { storeId, userId, reach: 'store', publicUrl, seconds })) };
    });
  };
