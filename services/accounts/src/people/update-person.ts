import type { updatePerson as operation, Person } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { findPerson, findUserId, lockOwners, saveMembership } from './person.repository.ts';
import { assertActiveSeller, assertSellerOfRole } from './seller-of-person.ts';
import { unknownPerson } from './unknown-person.ts';

export const updatePerson =
  ({ systemDatabase, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { userId: personId }, body }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    await assertActiveSeller(rpc, context, storeId, body.seller_id);
    return await systemDatabase.write(context, async (sql) => {
      const owners = await lockOwners(sql, storeId);
      const userId = await findUserId(sql, storeId, personId);
      const person = userId && (await findPerson(sql, storeId, userId));
      if (!userId || !person) throw unknownPerson();
      const { name = person.name, role = person.role, seller_id: sellerId = person.seller_id } = body;
      assertSellerOfRole(role, sellerId);
      const leavesOwners = person.role === 'owner' && role !== 'owner';
      if (leavesOwners && !owners.some((owner) => owner !== userId)) throw new AppError('last_owner');
      await saveMembership(sql, { storeId, userId, name, role, sellerId });
      const after = { name, role, seller_id: sellerId };
      const changed = (['name', 'role', 'seller_id'] as const).filter((member) => after[member] !== person[member]);
      const details = { changed, ...(changed.includes('role') && { role }) };
      await appendAudit(sql, context, [{ storeId, actorId, action: 'user.changed', subjectId: userId, details }]);
      return (await findPerson(sql, storeId, userId)) as Person;
    });
  };
