import type { Person, UserRole } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

type PersonRow = {
  id: string;
  email: string;
  name: string;
  role: UserRole;
  seller_id: string | null;
  created_at: Date;
  last_seen_at: Date | null;
  disabled_at: Date | null;
};

export type Membership = {
  readonly storeId: string;
  readonly userId: string;
  /** How the store names the person. */
  readonly name: string;
  readonly role: UserRole;
  readonly sellerId: string | null;
};

/** The people of a store by email, or only one of them. */
const peopleOf = (sql: Sql, storeId: string, userId: string | null, limit: number) => sql<PersonRow[]>`
  select u.id, u.email, coalesce(m.name, u.name) as name, m.role, m.seller_id, m.created_at, u.disabled_at,
    (select max(s.last_seen_at) from sessions s where s.user_id = m.user_id and s.store_id = m.store_id) as last_seen_at
  from memberships m join users u on u.id = m.user_id
  where m.store_id = ${storeId} ${userId === null ? sql`` : sql`and m.user_id = ${userId}`}
  order by lower(u.email) limit ${limit}`;

export async function listPersonRows(sql: Sql, storeId: string, limit: number): Promise<Person[]> {
  return (await peopleOf(sql, storeId, null, limit)).map(toPerson);
}

export async function findPerson(sql: Sql, storeId: string, userId: string): Promise<Person | null> {
  const [row] = await peopleOf(sql, storeId, userId, 1);
  return row ? toPerson(row) : null;
}

/** Adds a person to a store. False: they are in it already, and nothing changes. */
export async function addMembership(sql: TransactionSql, membership: Membership): Promise<boolean> {
  const { storeId, userId, name, role, sellerId } = membership;
  const added = await sql`
    insert into memberships (store_id, user_id, name, role, seller_id)
    values (${storeId}, ${userId}, ${name}, ${role}, ${sellerId})
    on conflict (store_id, user_id) do nothing returning 1`;
  return added.length > 0;
}

export async function saveMembership(sql: TransactionSql, membership: Membership): Promise<void> {
  const { storeId, userId, name, role, sellerId } = membership;
  await sql`
    update memberships set name = ${name}, role = ${role}, seller_id = ${sellerId}
    where store_id = ${storeId} and user_id = ${userId}`;
}

/** The owners of a store who are not disabled. No other transaction can change them until this one ends. */
export async function lockOwners(sql: TransactionSql, storeId: string): Promise<string[]> {
  const rows = await sql<{ user_id: string }[]>`
    select m.user_id from memberships m join users u on u.id = m.user_id
    where m.store_id = ${storeId} and m.role = 'owner' and u.disabled_at is null
    order by m.user_id for update of m`;
  return rows.map(({ user_id }) => user_id);
}

/** Removes a person from a store, with their sessions and login links in it. False: they are not in it. */
export async function removeMembership(sql: TransactionSql, storeId: string, userId: string): Promise<boolean> {
  const removed = await sql`
    delete from memberships where store_id = ${storeId} and user_id = ${userId} returning 1`;
  return removed.length > 0;
}

const toPerson = (row: PersonRow): Person => ({
  ...row,
  created_at: toTimestamp(row.created_at),
  last_seen_at: row.last_seen_at && toTimestamp(row.last_seen_at),
  disabled_at: row.disabled_at && toTimestamp(row.disabled_at),
});
