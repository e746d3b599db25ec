import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { isReachable } from '../sessions/reach.repository.ts';
import type { Reaching } from '../sessions/reach.ts';
import type { SessionRow } from '../sessions/session.repository.ts';

/** What a person has to sign in with, and the stores that it opens. */
export type Credentials = {
  /** In the PHC format. Null: no password is set. */
  readonly password_hash: string | null;
  /** Null also when it opens only stores to which the session may not go: when it was set there is not shown here. */
  readonly password_changed_at: Date | null;
  readonly has_passkeys: boolean;
  /** Whether any of them opens a store to which the session may not go. */
  readonly joined_elsewhere: boolean;
  /** Whether the password alone does. */
  readonly password_elsewhere: boolean;
  /** Whether one of them does not open the store of the session. */
  readonly may_join: boolean;
  /** Whether the account at the OpenID provider does not. */
  readonly account_may_join: boolean;
};

type Asking = Pick<SessionRow, 'user_id'> & Reaching;

export async function findCredentials(sql: Sql, session: Asking): Promise<Credentials> {
  const { user_id: userId, store_id: storeId } = session;
  const [row] = await sql<[Credentials]>`
    select
      (select hash from passwords where user_id = ${userId}) as password_hash,
      (select changed_at from passwords where user_id = ${userId} and exists (
        select from credential_stores o join memberships m on m.store_id = o.store_id and m.user_id = o.user_id
        where o.user_id = ${userId} and o.passkey_id is null and ${isReachable(sql, session)}
      )) as password_changed_at,
      exists (select from passkeys where user_id = ${userId}) as has_passkeys,
      exists (
        select from credential_stores o join memberships m on m.store_id = o.store_id and m.user_id = o.user_id
        where o.user_id = ${userId} and not ${isReachable(sql, session)}
      ) as joined_elsewhere,
      exists (
        select from credential_stores o join memberships m on m.store_id = o.store_id and m.user_id = o.user_id
        where o.user_id = ${userId} and o.passkey_id is null and not ${isReachable(sql, session)}
      ) as password_elsewhere,
      exists (
        select null::uuid as id from passwords where user_id = ${userId}
        union all select id from passkeys where user_id = ${userId}
        except all select passkey_id from credential_stores where user_id = ${userId} and store_id = ${storeId}
      ) as may_join,
      exists (
        select from oidc_identities i join memberships m on m.user_id = i.user_id
        where i.user_id = ${userId} and m.store_id = ${storeId} and m.confirmed_at is null
      ) as account_may_join`;
  return row;
}

export async function savePassword(sql: TransactionSql, userId: string, hash: string): Promise<void> {
  await sql`
    insert into passwords (user_id, hash) values (${userId}, ${hash})
    on conflict (user_id) do update set hash = excluded.hash, changed_at = clock_timestamp()`;
}

/** From now on the passkey opens the store, or the password when there is no id of a passkey. */
export async function openStore(
  sql: TransactionSql,
  { storeId, userId, passkeyId }: { storeId: string; userId: string; passkeyId: string | null },
): Promise<void> {
  await sql`
    insert into credential_stores (store_id, user_id, passkey_id) values (${storeId}, ${userId}, ${passkeyId})
    on conflict do nothing`;
}

/** The password opens from now on what the session reaches of the stores that a password or passkey of the person opens. */
export async function openReachedStores(sql: TransactionSql, session: Asking): Promise<void> {
  await sql`
    insert into credential_stores (store_id, user_id, passkey_id)
    select distinct o.store_id, o.user_id, null::uuid
    from credential_stores o join memberships m on m.store_id = o.store_id and m.user_id = o.user_id
    where o.user_id = ${session.user_id} and ${isReachable(sql, session)}
    on conflict do nothing`;
}

/** A new passkey opens what another one opens, or the password when there is no id of another one. False: nothing. */
export async function openSameStores(
  sql: TransactionSql,
  { userId, passkeyId, as }: { userId: string; passkeyId: string; as: string | null },
): Promise<boolean> {
  const rows = await sql`
    insert into credential_stores (store_id, user_id, passkey_id)
    select store_id, user_id, ${passkeyId}::uuid from credential_stores
    where user_id = ${userId} and passkey_id is not distinct from ${as}::uuid returning 1`;
  return rows.length > 0;
}

/** Whether the passkey opens the store, or the password when there is no id of a passkey. */
export async function opensStore(
  sql: Sql,
  { storeId, userId, passkeyId }: { storeId: string; userId: string; passkeyId: string | null },
): Promise<boolean> {
  const rows = await sql`
    select 1 from credential_stores
    where store_id = ${storeId} and user_id = ${userId} and passkey_id is not distinct from ${passkeyId}::uuid`;
  return rows.length > 0;
}

type PasswordOwner = { readonly user_id: string; readonly hash: string };

/** The person with this email address who has a password and is not disabled. */
export async function findPasswordOwner(sql: Sql, email: string): Promise<PasswordOwner | undefined> {
  const [row] = await sql<PasswordOwner[]>`
    select p.user_id, p.hash from users u join passwords p on p.user_id = u.id
    where lower(u.email) = lower(${email}) and u.disabled_at is null`;
  return row;
}

/**
 * The store that a person used last of those that a passkey opens, or the password when there is no id of a passkey; null if
 * it opens none.
 */
export async function findLastStore(sql: Sql, userId: string, passkeyId: string | null): Promise<string | null> {
  const [row] = await sql<{ store_id: string }[]>`
    select c.store_id from credential_stores c
    where c.user_id = ${userId} and c.passkey_id is not distinct from ${passkeyId}::uuid
    order by (select max(s.last_seen_at) from sessions s where s.user_id = c.user_id and s.store_id = c.store_id)
      desc nulls last, c.joined_at desc limit 1`;
  return row?.store_id ?? null;
}
