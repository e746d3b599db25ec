import { requestsPerMinute, type Scope, scopes, type Tier } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { countryOf } from '@mostrador/kit/phones/country-of-place';
import type { Access } from './access.ts';

type AccessRow = {
  key_id: string;
  key_hash: Uint8Array;
  store_id: string;
  tier: Tier;
  rate_limit: number | null;
  country: string | null;
  timezone: string;
  locale: string;
  scopes: Scope[] | null;
  expires_at: Date | null;
  revoked_at: Date | null;
};

/** What each of these keys gives access to, in their order; null if the key does not exist. */
export async function findAccess(sql: Sql, keyIds: string[]): Promise<(Access | null)[]> {
  const rows = await sql<AccessRow[]>`
    select k.id as key_id, k.key_hash, k.store_id, k.scopes, k.expires_at, k.revoked_at,
      s.tier, s.rate_limit, s.country, s.timezone, s.locale
    from accounts.api_keys k join accounts.stores s on s.id = k.store_id
    where k.id = any(${keyIds})`;
  const found = new Map(rows.map((row) => [row.key_id, toAccess(row)]));
  return keyIds.map((keyId) => found.get(keyId) ?? null);
}

/** The access of every key that changed, or whose store changed, in the last seconds by the database's clock. */
export async function findChangedAccess(sql: Sql, sinceSeconds: number, limit: number): Promise<Access[]> {
  const rows = await sql<AccessRow[]>`
    select k.id as key_id, k.key_hash, k.store_id, k.scopes, k.expires_at, k.revoked_at,
      s.tier, s.rate_limit, s.country, s.timezone, s.locale
    from accounts.api_keys k join accounts.stores s on s.id = k.store_id
    where k.id in (
      select id from accounts.api_keys where updated_at > clock_timestamp() - make_interval(secs => ${sinceSeconds})
      union
      select of_store.id from accounts.stores changed join accounts.api_keys of_store on of_store.store_id = changed.id
      where changed.updated_at > clock_timestamp() - make_interval(secs => ${sinceSeconds})
    )
    limit ${limit}`;
  return rows.map(toAccess);
}

/** The ids of the keys that were deleted in the last seconds by the database's clock. */
export async function findDeletedKeys(sql: Sql, sinceSeconds: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from accounts.deleted_api_keys where deleted_at > now() - make_interval(secs => ${sinceSeconds})`;
  return rows.map(({ id }) => id);
}

function toAccess(row: AccessRow): Access {
  return {
    callerId: row.key_id,
    keyHash: row.key_hash,
    storeId: row.store_id,
    tier: row.tier,
    requestsPerMinute: row.rate_limit ?? requestsPerMinute[row.tier],
    country: countryOf(row),
    scopes: new Set(row.scopes ?? scopes),
    expiresAtMs: row.expires_at?.getTime() ?? null,
    revoked: row.revoked_at !== null,
  };
}
