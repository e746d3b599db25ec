import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { OidcIdentity } from './oidc-provider.ts';

/** A person with an account at the provider. */
export type LinkedPerson = {
  readonly user_id: string;
  readonly disabled_at: Date | null;
  /** Whether the provider confirms the address that the person has here. */
  readonly is_confirmed: boolean;
};

export async function insertAttempt(
  sql: TransactionSql,
  attempt: { tokenHash: Uint8Array; sessionId: string | null; minutes: number },
): Promise<void> {
  await sql`
    insert into oidc_attempts (token_hash, session_id, expires_at)
    values (${attempt.tokenHash}, ${attempt.sessionId}, clock_timestamp() + make_interval(mins => ${attempt.minutes}))`;
}

/** A browser that went to the provider. */
export type OidcAttempt = {
  /** The session in which the person joins its store. Null: they sign in. */
  readonly session_id: string | null;
};

/** Takes an attempt, so that it is finished only once. */
export async function takeAttempt(sql: TransactionSql, tokenHash: Uint8Array): Promise<OidcAttempt | undefined> {
  const [row] = await sql<OidcAttempt[]>`
    delete from oidc_attempts where token_hash = ${tokenHash} and expires_at > clock_timestamp() returning session_id`;
  return row;
}

/** The person that an account signs in: the one to whom it is linked, else the one with its address. */
export async function findOwner(sql: Sql, { issuer, subject, email }: OidcIdentity): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select coalesce(
      (select user_id from oidc_identities where issuer = ${issuer} and subject = ${subject}),
      (select id from users where lower(email) = lower(${email}))
    ) as id`;
  return row?.id ?? undefined;
}

export async function purgeOidcAttempts(sql: TransactionSql, limit: number): Promise<number> {
  const rows = await sql`
    delete from oidc_attempts where token_hash in (
      select token_hash from oidc_attempts where expires_at < now() limit ${limit}) returning 1`;
  return rows.length;
}

/** Finds the person with this account, and records its use. */
export async function useIdentity(
  sql: TransactionSql,
  { issuer, subject, email }: OidcIdentity,
): Promise<LinkedPerson | undefined> {
  const [row] = await sql<LinkedPerson[]>`
    update oidc_identities i set last_used_at = clock_timestamp() from users u
    where i.issuer = ${issuer} and i.subject = ${subject} and u.id = i.user_id
    returning i.user_id, u.disabled_at, coalesce(lower(u.email) = lower(${email}), false) as is_confirmed`;
  return row;
}

/**
 * Links the account to the person with its address. Does nothing when there is no such person, and when they have
 * another account of this provider.
 */
export async function linkIdentity(sql: TransactionSql, identity: OidcIdentity & { email: string }): Promise<boolean> {
  const { issuer, subject, email } = identity;
  const rows = await sql`
    insert into oidc_identities (issuer, subject, user_id)
    select ${issuer}, ${subject}, id from users where lower(email) = lower(${email}) and disabled_at is null
    on conflict do nothing returning 1`;
  return rows.length > 0;
}

/**
 * The person's account opens all of their stores from now on: all of them invited the address that it confirms. A store whose
 * ways in were ended is left out until it invites the person again. Returns the new ones.
 */
export async function confirmStores(sql: TransactionSql, userId: string): Promise<string[]> {
  const rows = await sql<{ store_id: string }[]>`
    update memberships set confirmed_at = clock_timestamp()
    where user_id = ${userId} and confirmed_at is null and access_ended_at is null returning store_id`;
  return rows.map(({ store_id }) => store_id);
}

/** The person's account opens this store from now on. */
export async function confirmStore(
  sql: TransactionSql,
  { storeId, userId }: { storeId: string; userId: string },
): Promise<void> {
  await sql`
    update memberships set confirmed_at = coalesce(confirmed_at, clock_timestamp())
    where store_id = ${storeId} and user_id = ${userId}`;
}

/**
 * The store that a person used last of those that their account opens; null if it opens none. Sessions that an owner's
 * link opened do not count, so no owner leads a person to their store.
 */
export async function findLastConfirmedStore(sql: Sql, userId: string): Promise<string | null> {
  const [row] = await sql<{ store_id: string }[]>`
    select m.store_id from memberships m
    where m.user_id = ${userId} and m.confirmed_at is not null
    order by (
      select max(s.last_seen_at) from sessions s
      where s.user_id = m.user_id and s.store_id = m.store_id and s.reach <> 'store'
    ) desc nulls last, m.created_at, m.store_id limit 1`;
  return row?.store_id ?? null;
}

/** When the account with which the person signed in last was linked and used. */
export async function findIdentityTimes(
  sql: Sql,
  userId: string,
): Promise<{ created_at: Date; last_used_at: Date } | undefined> {
  const [row] = await sql<{ created_at: Date; last_used_at: Date }[]>`
    select created_at, last_used_at from oidc_identities where user_id = ${userId}
    order by last_used_at desc limit 1`;
  return row;
}

/** Forgets the person's accounts, and what they opened. Returns whether there was one. */
export async function unlinkIdentities(sql: TransactionSql, userId: string): Promise<boolean> {
  const rows = await sql`delete from oidc_identities where user_id = ${userId} returning 1`;
  await sql`update memberships set confirmed_at = null where user_id = ${userId} and confirmed_at is not null`;
  return rows.length > 0;
}
