import { requestsPerMinute, type Scope, scopes, type Tier } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { countryOf } from '../stores/country.ts';
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

/** What a key gives access to; null if the key does not exist. */
export async function findAccess(sql: Sql, keyId: string): Promise<Access | null> {
  const rows = await sql<AccessRow[]>`
    select k.id as key_id, k.key_hash, k.store_id, k.scopes, k.expires_at, k.revoked_at,
      s.tier, s.rate_limit, s.country, s.timezone, s.locale
    from api_keys k join stores s on s.id = k.store_id
    where k.id = ${keyId}`;
  return rows[0] ? toAccess(rows[0]) : null;
}

/** The access of every key that changed, or whose store changed, in the last seconds by the database's clock. */
export async function findChangedAccess(sql: Sql, sinceSeconds: number, limit: number): Promise<Access[]> {
  const rows = await sql<AccessRow[]>`
    select k.id as key_id, k.key_hash, k.store_id, k.scopes, k.expires_at, k.revoked_at,
      s.tier, s.rate_limit, s.country, s.timezone, s.locale
    from api_keys k join stores s on s.id = k.store_id
    where k.id in (
      select id from api_keys where updated_at > clock_timestamp() - make_interval(secs => ${sinceSeconds})
      union
      select of_store.id from stores changed join api_keys of_store on of_store.store_id = changed.id
      where changed.updated_at > clock_timestamp() - make_interval(secs => ${sinceSeconds})
    )
    limit ${limit}`;
  return rows.map(toAccess);
}

/** The ids of the keys that were deleted in the last seconds by the database's clock. */
export async function findDeletedKeys(sql: Sql, sinceSeconds: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from deleted_api_keys where deleted_at > now() - make_interval(secs => ${sinceSeconds})`;
  return rows.map(({ id }) => id);
}

/** Records when keys were last used. The time never moves backwards, so processes may write in any order. */
export async function recordUses(sql: Sql, uses: readonly { keyId: string; usedAt: Date }[]): Promise<void> {
  const ids = uses.map((use) => use.keyId);
  const times = uses.map((use) => use.usedAt.toISOString());
  await sql`
    update api_keys set last_used_at = used.at
    from unnest(${ids}::text[], ${times}::timestamptz[]) as used (key_id, at)
    where id = used.key_id and (last_used_at is null or last_used_at < used.at)`;
}

function toAccess(row: AccessRow): Access {
  return {
    keyId: row.key_id,
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
