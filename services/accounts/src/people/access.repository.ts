import type { TransactionSql } from '@mostrador/kit/database/database';
import { endSessionsOf } from '../sessions/session.repository.ts';

/**
 * Ends every way in of a person, in all of their stores: sessions, login links, password, passkeys and the account at the
 * OpenID provider. None of them comes back: a store opens again with a new link or invitation. Returns how many sessions
 * were open.
 */
export async function endAccess(sql: TransactionSql, userId: string): Promise<number> {
  const ended = await endSessionsOf(sql, userId);
  await sql`delete from login_links where user_id = ${userId} and used_at is null`;
  await sql`delete from credential_stores where user_id = ${userId}`;
  await sql`delete from passwords where user_id = ${userId}`;
  await sql`delete from passkeys where user_id = ${userId}`;
  await sql`delete from oidc_identities where user_id = ${userId}`;
  await sql`
    update memberships set confirmed_at = null, access_ended_at = clock_timestamp()
    where user_id = ${userId}`;
  return ended;
}

/**
 * After a person has left a store, deletes what opens none of their stores any more: it would open the store again that
 * invites them again. What opens another store stays.
 */
export async function deleteUnusedCredentials(sql: TransactionSql, userId: string): Promise<void> {
  await sql`
    delete from passwords where user_id = ${userId} and not exists (
      select from credential_stores where user_id = ${userId} and passkey_id is null)`;
  await sql`
    delete from passkeys p where user_id = ${userId} and not exists (
      select from credential_stores where passkey_id = p.id)`;
  await sql`
    delete from oidc_identities where user_id = ${userId} and not exists (
      select from memberships where user_id = ${userId})`;
}
