import type { Person } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { makeLoginLink } from '../users/login-link.ts';
import { findPerson } from './person.repository.ts';

/** Makes a login link that an owner hands over. It opens only the owner's store. */
export async function makePersonLink(
  sql: TransactionSql,
  options: { storeId: string; userId: string; publicUrl: string; seconds: number },
): Promise<{ user: Person; login_url: string; expires_at: string }> {
  const { storeId, userId, publicUrl, seconds } = options;
  const user = (await findPerson(sql, storeId, userId)) as Person;
  return { user, ...(await makeLoginLink(sql, { storeId, userId, reach: 'store', publicUrl, seconds })) };
}
