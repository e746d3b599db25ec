import type { StoreUser, UserRole } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Membership } from '../people/person.repository.ts';

type StoreUserRow = {
  id: string;
  email: string;
  name: string;
  store_id: string;
  role: UserRole;
  seller_id: string | null;
  created_at: Date;
  disabled_at: Date | null;
};

/** The person with this email address. An existing one keeps their first name: each store has its own in the membership. */
export async function ensureUser(sql: TransactionSql, email: string, name: string): Promise<string> {
  const [made] = await sql<{ id: string }[]>`
    insert into users (email, name) values (${email}, ${name}) on conflict (lower(email)) do nothing returning id`;
  if (made) return made.id;
  const [found] = await sql<{ id: string }[]>`select id from users where lower(email) = lower(${email})`;
  return (found as { id: string }).id;
}

/**
 * Locks a person until the transaction ends, and says whether they are enabled. Everything that opens, changes or ends a
 * way in takes this lock first, so that none of it is made while another request ends all of it.
 */
export async function lockPerson(sql: TransactionSql, userId: string): Promise<boolean> {
  const rows = await sql`select 1 from users where id = ${userId} and disabled_at is null for no key update`;
  return rows.length > 0;
}

/** Invites a person to a store, or again, which makes a way in possible that was ended. */
export async function setMembership(sql: TransactionSql, membership: Membership): Promise<void> {
  const { storeId, userId, name, role, sellerId } = membership;
  await sql`
    insert into memberships (store_id, user_id, name, role, seller_id)
    values (${storeId}, ${userId}, ${name}, ${role}, ${sellerId})
    on conflict (store_id, user_id) do update
    set name = excluded.name, role = excluded.role, seller_id = excluded.seller_id, access_ended_at = null`;
}

/** The person with this email address, once for each of their stores. */
export async function findUser(sql: Sql, email: string): Promise<StoreUser[]> {
  const rows = await sql<StoreUserRow[]>`
    select u.id, u.email, coalesce(m.name, u.name) as name, m.store_id, m.role, m.seller_id, m.created_at, u.disabled_at
    from users u join memberships m on m.user_id = u.id where lower(u.email) = lower(${email}) order by m.store_id`;
  return rows.map(toStoreUser);
}

/** The person with this email address in a store; null if there is none. */
export async function findStoreUser(sql: Sql, storeId: string, email: string): Promise<StoreUser | null> {
  const [row] = await sql<StoreUserRow[]>`
    select u.id, u.email, coalesce(m.name, u.name) as name, m.store_id, m.role, m.seller_id, m.created_at, u.disabled_at
    from memberships m join users u on u.id = m.user_id
    where m.store_id = ${storeId} and lower(u.email) = lower(${email})`;
  return row ? toStoreUser(row) : null;
}

export async function listStoreUsers(sql: Sql, storeId: string, limit: number): Promise<StoreUser[]> {
  const rows = await sql<StoreUserRow[]>`
    select u.id, u.email, coalesce(m.name, u.name) as name, m.store_id, m.role, m.seller_id, m.created_at, u.disabled_at
    from memberships m join users u on u.id = m.user_id
    where m.store_id = ${storeId} order by lower(u.email) limit ${limit}`;
  return rows.map(toStoreUser);
}

/** Disables a person. Returns them once for each of their stores; a second call keeps the time of the first. */
export async function disableUserRow(sql: TransactionSql, email: string): Promise<StoreUser[]> {
  await sql`
    update users set disabled_at = coalesce(disabled_at, clock_timestamp()) where lower(email) = lower(${email})`;
  return await findUser(sql, email);
}

/** Enables a person again. Returns them once for each of their stores, and whether they were disabled. */
export async function enableUserRow(
  sql: TransactionSql,
  email: string,
): Promise<{ users: StoreUser[]; wasDisabled: boolean }> {
  const enabled = await sql`
    update users set disabled_at = null where lower(email) = lower(${email}) and disabled_at is not null returning 1`;
  return { users: await findUser(sql, email), wasDisabled: enabled.length > 0 };
}

/** Whether the store exists. */
export async function storeExists(sql: Sql, storeId: string): Promise<boolean> {
  return (await sql`select 1 from stores where id = ${storeId}`).length > 0;
}

function toStoreUser(row: StoreUserRow): StoreUser {
  return {
    ...row,
    created_at: toTimestamp(row.created_at),
    disabled_at: row.disabled_at && toTimestamp(row.disabled_at),
  };
}
