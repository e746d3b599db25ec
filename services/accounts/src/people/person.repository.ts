import type { Person, StoreUser, UserRole } from '@mostrador/contracts';
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

/** As the operator sees a person: once for each of their stores. */
type StoreUserRow = {
  /** In `users`. */
  user_id: string;
  /** In the store. */
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

/**
 * The people of a store by email, or only one of them. Nothing of it tells whether another store knows the person: neither
 * the id, nor how the address was written there, nor a time before the invitation.
 */
const peopleOf = (sql: Sql, storeId: string, userId: string | null, limit: number) => sql<PersonRow[]>`
  select person_id(m.store_id, m.user_id) as id, lower(u.email) as email, coalesce(m.name, u.name) as name, m.role,
    m.seller_id, m.created_at,
    case when u.disabled_at is not null then greatest(u.disabled_at, m.created_at) end as disabled_at,
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

/** The row in `users` of a person of the store, by their id in the store. Null: the store has no such person. */
export async function findUserId(sql: Sql, storeId: string, personId: string): Promise<string | null> {
  const [row] = await sql<{ user_id: string }[]>`
    select user_id from memberships where store_id = ${storeId} and person_id(store_id, user_id) = ${personId}`;
  return row?.user_id ?? null;
}

/**
 * Whether a person is an owner of the store who is not disabled. The role of requests may read this, so that a transaction
 * of theirs can ask it.
 */
export async function isOwner(sql: Sql, storeId: string, userId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from memberships m join users u on u.id = m.user_id
    where m.store_id = ${storeId} and m.user_id = ${userId} and m.role = 'owner' and u.disabled_at is null`;
  return rows.length > 0;
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

/** Invites a person to a store, or again, which makes a way in possible that was ended. */
export async function setMembership(sql: TransactionSql, membership: Membership): Promise<void> {
  const { storeId, userId, name, role, sellerId } = membership;
  await sql`
    insert into memberships (store_id, user_id, name, role, seller_id)
    values (${storeId}, ${userId}, ${name}, ${role}, ${sellerId})
    on conflict (store_id, user_id) do update
    set name = excluded.name, role = excluded.role, seller_id = excluded.seller_id, access_ended_at = null`;
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

// What follows is for the operator, who names people by their email addresses.

/** A person in one store, with the id of their row in `users`. */
export type FoundUser = { readonly userId: string; readonly user: StoreUser };

/** People with their stores: those of the memberships `m` and users `u` that `condition` names. */
const usersWhere = (sql: Sql, condition: ReturnType<Sql['unsafe']>) => sql<StoreUserRow[]>`
  select m.user_id, person_id(m.store_id, m.user_id) as id, u.email, coalesce(m.name, u.name) as name, m.store_id, m.role,
    m.seller_id, m.created_at, u.disabled_at
  from memberships m join users u on u.id = m.user_id where ${condition}`;

/** The person with this email address, once for each of their stores. */
export async function findUser(sql: Sql, email: string): Promise<FoundUser[]> {
  return (await usersWhere(sql, sql`lower(u.email) = lower(${email}) order by m.store_id`)).map(toFoundUser);
}

/** The person with this email address in a store; null if there is none. */
export async function findStoreUser(sql: Sql, storeId: string, email: string): Promise<FoundUser | null> {
  const [row] = await usersWhere(sql, sql`m.store_id = ${storeId} and lower(u.email) = lower(${email})`);
  return row ? toFoundUser(row) : null;
}

export async function listStoreUsers(sql: Sql, storeId: string, limit: number): Promise<StoreUser[]> {
  const rows = await usersWhere(sql, sql`m.store_id = ${storeId} order by lower(u.email) limit ${limit}`);
  return rows.map((row) => toFoundUser(row).user);
}

/** Disables a person. Returns them once for each of their stores; a second call keeps the time of the first. */
export async function disableUserRow(sql: TransactionSql, email: string): Promise<FoundUser[]> {
  await sql`
    update users set disabled_at = coalesce(disabled_at, clock_timestamp()) where lower(email) = lower(${email})`;
  return await findUser(sql, email);
}

/** Enables a person again. Returns them once for each of their stores, and whether they were disabled. */
export async function enableUserRow(
  sql: TransactionSql,
  email: string,
): Promise<{ users: FoundUser[]; wasDisabled: boolean }> {
  const enabled = await sql`
    update users set disabled_at = null where lower(email) = lower(${email}) and disabled_at is not null returning 1`;
  return { users: await findUser(sql, email), wasDisabled: enabled.length > 0 };
}

function toFoundUser({ user_id, ...row }: StoreUserRow): FoundUser {
  const user = {
    ...row,
    created_at: toTimestamp(row.created_at),
    disabled_at: row.disabled_at && toTimestamp(row.disabled_at),
  };
  return { userId: user_id, user };
}
