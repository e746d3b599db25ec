import { type ApiKey, scopes as allScopes, type Scope } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

type ApiKeyRow = {
  id: string;
  store_id: string;
  name: string;
  scopes: Scope[] | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
};

export type NewApiKeyRow = {
  readonly id: string;
  readonly keyHash: Uint8Array;
  readonly name: string;
  /** Null: all scopes, including future ones. */
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: Date | null;
};

export async function insertApiKey(sql: TransactionSql, storeId: string, key: NewApiKeyRow): Promise<ApiKey> {
  const [row] = await sql<ApiKeyRow[]>`
    insert into api_keys (id, store_id, name, key_hash, scopes, expires_at)
    values (${key.id}, ${storeId}, ${key.name}, ${key.keyHash}, ${key.scopes}::text[], ${key.expiresAt})
    returning id, store_id, name, scopes, created_at, expires_at, revoked_at, last_used_at`;
  return toApiKey(row as ApiKeyRow);
}

/** The store of a key, read with the system role before the store is known; null if the key does not exist. */
export async function findStoreOfKey(sql: Sql, keyId: string): Promise<string | null> {
  const [row] = await sql<{ store_id: string }[]>`select store_id from api_keys where id = ${keyId}`;
  return row?.store_id ?? null;
}

/** A valid key, locked until the transaction ends; null if it is unknown, revoked or expired. */
export async function lockValidApiKey(
  sql: TransactionSql,
  storeId: string,
  keyId: string,
): Promise<{ key: ApiKey; scopes: Scope[] | null } | null> {
  const [row] = await sql<ApiKeyRow[]>`
    select id, store_id, name, scopes, created_at, expires_at, revoked_at, last_used_at from api_keys
    where store_id = ${storeId} and id = ${keyId}
      and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
    for update`;
  return row ? { key: toApiKey(row), scopes: row.scopes } : null;
}

/** Makes a key expire after `afterSeconds`, or at its own expiry if that is earlier. */
export async function expireApiKey(
  sql: TransactionSql,
  storeId: string,
  keyId: string,
  afterSeconds: number,
): Promise<ApiKey> {
  const [row] = await sql<ApiKeyRow[]>`
    update api_keys set
      expires_at = least(expires_at, clock_timestamp() + make_interval(secs => ${afterSeconds})),
      updated_at = clock_timestamp()
    where store_id = ${storeId} and id = ${keyId}
    returning id, store_id, name, scopes, created_at, expires_at, revoked_at, last_used_at`;
  return toApiKey(row as ApiKeyRow);
}

/** Revokes a key. A second revocation keeps the time of the first. Null if the key does not exist. */
export async function revokeApiKeyRow(sql: TransactionSql, storeId: string, keyId: string): Promise<ApiKey | null> {
  const [row] = await sql<ApiKeyRow[]>`
    update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()), updated_at = clock_timestamp()
    where store_id = ${storeId} and id = ${keyId}
    returning id, store_id, name, scopes, created_at, expires_at, revoked_at, last_used_at`;
  return row ? toApiKey(row) : null;
}

export async function findApiKey(sql: Sql, storeId: string, keyId: string): Promise<ApiKey | null> {
  const [row] = await sql<ApiKeyRow[]>`
    select id, store_id, name, scopes, created_at, expires_at, revoked_at, last_used_at from api_keys
    where store_id = ${storeId} and id = ${keyId}`;
  return row ? toApiKey(row) : null;
}

export async function listApiKeyRows(sql: Sql, storeId: string): Promise<ApiKey[]> {
  const rows = await sql<ApiKeyRow[]>`
    select id, store_id, name, scopes, created_at, expires_at, revoked_at, last_used_at from api_keys
    where store_id = ${storeId} order by created_at desc, id`;
  return rows.map(toApiKey);
}

/** How many valid keys a store has. Another transaction that asks this waits until this one ends. */
export async function countForCreation(sql: TransactionSql, storeId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`api keys ${storeId}`}, 0))`;
  const [row] = await sql<[{ total: number }]>`
    select count(*)::int as total from api_keys
    where store_id = ${storeId} and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`;
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

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    store_id: row.store_id,
    name: row.name,
    scopes: row.scopes ?? [...allScopes],
    created_at: toTimestamp(row.created_at),
    expires_at: row.expires_at && toTimestamp(row.expires_at),
    revoked_at: row.revoked_at && toTimestamp(row.revoked_at),
    last_used_at: row.last_used_at && toTimestamp(row.last_used_at),
  };
}
