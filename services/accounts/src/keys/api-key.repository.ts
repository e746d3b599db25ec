import { type ApiKey, scopes as allScopes, type Scope } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

/** A key, with who created it: a person by their id in the store and by that in `users`. */
type ApiKeyRow = {
  id: string;
  store_id: string;
  name: string;
  scopes: Scope[] | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  creator_kind: 'operator' | 'user' | null;
  creator_id: string | null;
  creator_user_id: string | null;
};

export type NewApiKeyRow = {
  readonly id: string;
  readonly keyHash: Uint8Array;
  readonly name: string;
  /** Null: all scopes, including future ones. */
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
};

/** A key whose creator has no name yet, and the creator's row in `users`. */
export type FoundKey = { readonly key: ApiKey; readonly scopes: Scope[] | null; readonly creatorId: string | null };

const isValid = (sql: Sql) => sql`k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`;

/**
 * Keys of a store, newest first. Who created a key is what the audit log says: it has an entry for each, which nothing
 * changes, in the transaction that created the key.
 */
const keysWhere = async (sql: Sql, storeId: string, condition: ReturnType<Sql['unsafe']>): Promise<FoundKey[]> => {
  const rows = await sql<ApiKeyRow[]>`
    select k.id, k.store_id, k.name, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at,
      made.actor_kind as creator_kind, person_id(k.store_id, made.actor_id) as creator_id,
      made.actor_id as creator_user_id
    from api_keys k left join (
      select subject_id, actor_kind, actor_id from audit_log where store_id = ${storeId} and action = 'key.created'
    ) made on made.subject_id = k.id
    where k.store_id = ${storeId} and ${condition}
    order by k.created_at desc, k.id`;
  return rows.map(toFoundKey);
};

export async function insertApiKey(sql: TransactionSql, storeId: string, key: NewApiKeyRow): Promise<void> {
  await sql`
    insert into api_keys (id, store_id, name, key_hash, scopes, expires_at)
    values (${key.id}, ${storeId}, ${key.name}, ${key.keyHash}, ${key.scopes}::text[], ${key.expiresAt})`;
}

/** The store of a key, read with the system role before the store is known; null if the key does not exist. */
export async function findStoreOfKey(sql: Sql, keyId: string): Promise<string | null> {
  const [row] = await sql<{ store_id: string }[]>`select store_id from api_keys where id = ${keyId}`;
  return row?.store_id ?? null;
}

/** Null: the store has no such key. */
export async function findApiKey(sql: Sql, storeId: string, keyId: string): Promise<FoundKey | null> {
  const [found] = await keysWhere(sql, storeId, sql`k.id = ${keyId}`);
  return found ?? null;
}

export const listApiKeyRows = (sql: Sql, storeId: string): Promise<FoundKey[]> => keysWhere(sql, storeId, sql`true`);

/** The valid keys that a person created, by their id in `users`. */
export const listValidKeysOf = (sql: Sql, storeId: string, userId: string): Promise<FoundKey[]> =>
  keysWhere(sql, storeId, sql`made.actor_id = ${userId} and ${isValid(sql)}`);

/** The ids of all keys that a person has created in the store. */
export async function listKeyIdsOf(sql: Sql, storeId: string, userId: string): Promise<string[]> {
  const rows = await sql<{ subject_id: string }[]>`
    select subject_id from audit_log
    where store_id = ${storeId} and action = 'key.created' and actor_id = ${userId}`;
  return rows.map(({ subject_id }) => subject_id);
}

/** A valid key, locked until the transaction ends; null if it is unknown, revoked or expired. */
export async function lockValidApiKey(sql: TransactionSql, storeId: string, keyId: string): Promise<FoundKey | null> {
  const locked = await sql`
    select 1 from api_keys k where k.store_id = ${storeId} and k.id = ${keyId} and ${isValid(sql)} for update`;
  return locked.length > 0 ? await findApiKey(sql, storeId, keyId) : null;
}

/** Makes a key expire after `afterSeconds`, or at its own expiry if that is earlier. */
export async function expireApiKey(
  sql: TransactionSql,
  storeId: string,
  keyId: string,
  afterSeconds: number,
): Promise<void> {
  await sql`
    update api_keys set
      expires_at = least(expires_at, clock_timestamp() + make_interval(secs => ${afterSeconds})),
      updated_at = clock_timestamp()
    where store_id = ${storeId} and id = ${keyId}`;
}

/** Revokes a key. A second revocation keeps the time of the first. False: the key does not exist. */
export async function revokeApiKeyRow(sql: TransactionSql, storeId: string, keyId: string): Promise<boolean> {
  const rows = await sql`
    update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()), updated_at = clock_timestamp()
    where store_id = ${storeId} and id = ${keyId} returning 1`;
  return rows.length > 0;
}

/** Until this transaction ends, no other one creates a key in the store, or decides which keys a person leaves. */
export async function lockKeys(sql: TransactionSql, storeId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`api keys ${storeId}`}, 0))`;
}

/** How many valid keys a store has. The caller has locked its keys. */
export async function countValidKeys(sql: TransactionSql, storeId: string): Promise<number> {
  const [row] = await sql<[{ total: number }]>`
    select count(*)::int as total from api_keys k where k.store_id = ${storeId} and ${isValid(sql)}`;
  return row.total;
}

/** Records when keys were last used. The time never moves backwards, so processes may write in any order. */
export async function recordUses(sql: Sql, uses: readonly { keyId: string; usedAt: string }[]): Promise<void> {
  const ids = uses.map((use) => use.keyId);
  const times = uses.map((use) => use.usedAt);
  await sql`
    update api_keys set last_used_at = used.at
    from (
      select key_id, least(max(at), clock_timestamp()) as at
      from unnest(${ids}::text[], ${times}::timestamptz[]) as each (key_id, at) group by key_id
    ) as used
    where id = used.key_id and (last_used_at is null or last_used_at < used.at)`;
}

function toFoundKey(row: ApiKeyRow): FoundKey {
  const { creator_kind: kind, creator_id: id, creator_user_id: creatorId } = row;
  const key = {
    id: row.id,
    store_id: row.store_id,
    name: row.name,
    scopes: row.scopes ?? [...allScopes],
    created_at: toTimestamp(row.created_at),
    expires_at: row.expires_at && toTimestamp(row.expires_at),
    revoked_at: row.revoked_at && toTimestamp(row.revoked_at),
    last_used_at: row.last_used_at && toTimestamp(row.last_used_at),
    created_by: kind && { kind, id, name: null },
  };
  return { key, scopes: row.scopes, creatorId };
}
