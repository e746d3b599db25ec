import type { Sql } from '@mostrador/kit/database/database';
import type { CustomerIds } from '../channels/channel-provider.ts';
import { findSuccessor } from './identity-change.repository.ts';

/** More changes than a customer makes while one webhook is on its way. */
const mostChanges = 20;

/**
 * The ids that a customer has now, who had these at `at`. A message from before a change is from the same person, however
 * late it comes. After the change the earlier number may be another person's.
 */
export async function currentIds(sql: Sql, storeId: string, ids: CustomerIds, at: Date): Promise<CustomerIds> {
  let current = { ...ids, at };
  for (let changes = 0; changes < mostChanges; changes += 1) {
    const successor = await findSuccessor(sql, storeId, current, current.at);
    if (!successor) break;
    const { at, isRelease } = successor;
    const waId = isRelease ? null : (successor.waId ?? current.waId);
    current = { waId, userId: successor.userId ?? current.userId, at };
  }
  return { waId: current.waId, userId: current.userId };
}
