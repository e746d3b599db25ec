import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { SessionRow } from '../sessions/session.repository.ts';

/** What a person has to sign in with, and the stores that it opens. */
export type Credentials = {
  /** In the PHC format. Null: no password is set. */
  readonly password_hash: string | null;
  readonly password_changed_at: Date | null;
  readonly has_passkeys: boolean;
  /** Whether it opens a store that the session does not: another one, and one that no OpenID provider confirmed for it. */
  readonly joined_elsewhere: boolean;
};

type Asking = Pick<SessionRow, 'user_id' | 'store_id' | 'reach'>;

export async function findCredentials(
  sql: Sql,
  { user_id: userId, store_id: storeId, reach }: Asking,
): Promise<Credentials> {
  const [row] = await sql<[Credentials]>`
    select
      (select hash from passwords where user_id = ${userId}) as password_hash,
      (select changed_at from passwords where user_id = ${userId}) as password_changed_at,
      exists (select from passkeys where user_id = ${userId}) as has_passkeys,
      exists (
        select from memberships where user_id = ${userId} and store_id <> ${storeId} and joined_at is not null
          and not (${reach} = 'confirmed' and confirmed_at is not null)
      ) as joined_elsewhere`;
  return row;
}

/** Locks the person until the transaction ends, and reads their credentials. */
export async function lockCredentials(sql: TransactionSql, session: Asking): Promise<Credentials> {
  await sql`select 1 from users where id = ${session.user_id} for update`;
  return await findCredentials(sql, session);
}

export async function savePassword(sql: TransactionSql, userId: string, hash: string): Promise<void> {
  await sql`
    insert into passwords (user_id, hash) values (${userId}, ${hash})
    on conflict (user_id) do update set hash = excluded.hash, changed_at = clock_timestamp()`;
}

/** From now on the person's own password and passkeys open the store. */
export async function joinStore(
  sql: TransactionSql,
  { storeId, userId }: { storeId: string; userId: string },
): Promise<void> {
  await sql`
    update memberships set joined_at = coalesce(joined_at, clock_timestamp())
    where store_id = ${storeId} and user_id = ${userId}`;
}

type PasswordOwner = { readonly user_id: string; readonly hash: string };

/** The person with this email address who has a password and is not disabled. */
export async function findPasswordOwner(sql: Sql, email: string): Promise<PasswordOwner | undefined> {
  const [row] = await sql<PasswordOwner[]>`
    select p.user_id, p.hash from users u join passwords p on p.user_id = u.id
    where lower(u.email) = lower(${email}) and u.disabled_at is null`;
  return row;
}

/** The store that a person joined and used last; null if they joined none. */
export async function findLastStore(sql: Sql, userId: string): Promise<string | null> {
  const [row] = await sql<{ store_id: string }[]>`
    select m.store_id from memberships m
    where m.user_id = ${userId} and m.joined_at is not null
    order by (select max(s.last_seen_at) from sessions s where s.user_id = m.user_id and s.store_id = m.store_id)
      desc nulls last, m.joined_at desc limit 1`;
  return row?.store_id ?? null;
}
