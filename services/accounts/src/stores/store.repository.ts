import { requestsPerMinute, type StoreRecord, type Tier } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { countryOf } from '@mostrador/kit/phones/country-of-place';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

type StoreRow = {
  id: string;
  name: string;
  tier: Tier;
  timezone: string;
  locale: string;
  country: string | null;
  rate_limit: number | null;
  created_at: Date;
  updated_at: Date;
};

/** The settings of a store. If `rate_limit` is null, the rate of the tier applies. */
export type StoreSettings = {
  readonly name: string;
  readonly tier: Tier;
  readonly timezone: string;
  readonly locale: string;
  /** Null: that of the time zone, else that of the locale. */
  readonly country: string | null;
  readonly rate_limit: number | null;
};

export async function insertStore(sql: TransactionSql, id: string, settings: StoreSettings): Promise<StoreRecord> {
  const [row] = await sql<StoreRow[]>`
    insert into stores (id, name, tier, timezone, locale, country, rate_limit)
    values (${id}, ${settings.name}, ${settings.tier}, ${settings.timezone}, ${settings.locale},
      ${settings.country}, ${settings.rate_limit})
    returning id, name, tier, timezone, locale, country, rate_limit, created_at, updated_at`;
  return toRecord(row as StoreRow);
}

/** Changes the given settings. Null if the store does not exist. */
export async function updateStoreRow(
  sql: TransactionSql,
  id: string,
  changes: Partial<StoreSettings>,
): Promise<StoreRecord | null> {
  const [row] = await sql<StoreRow[]>`
    update stores set
      name = coalesce(${changes.name ?? null}, name),
      tier = coalesce(${changes.tier ?? null}, tier),
      timezone = coalesce(${changes.timezone ?? null}, timezone),
      locale = coalesce(${changes.locale ?? null}, locale),
      country = coalesce(${changes.country ?? null}, country),
      rate_limit = case when ${changes.rate_limit !== undefined} then ${changes.rate_limit ?? null}::integer else rate_limit end,
      updated_at = clock_timestamp()
    where id = ${id}
    returning id, name, tier, timezone, locale, country, rate_limit, created_at, updated_at`;
  return row ? toRecord(row) : null;
}

/** Whether the store exists. */
export async function storeExists(sql: Sql, storeId: string): Promise<boolean> {
  return (await sql`select 1 from stores where id = ${storeId}`).length > 0;
}

export async function findStore(sql: Sql, id: string): Promise<StoreRecord | null> {
  const [row] = await sql<StoreRow[]>`
    select id, name, tier, timezone, locale, country, rate_limit, created_at, updated_at from stores where id = ${id}`;
  return row ? toRecord(row) : null;
}

/** Stores in the order of (name, id), after the store with `afterId`. */
export async function listStoreRows(sql: Sql, afterId: string | null, limit: number): Promise<StoreRecord[]> {
  const rows = await sql<StoreRow[]>`
    select id, name, tier, timezone, locale, country, rate_limit, created_at, updated_at from stores
    where ${afterId}::uuid is null or (name, id) > (select name, id from stores where id = ${afterId})
    order by name, id limit ${limit}`;
  return rows.map(toRecord);
}

/** Whether the store exists. The lock prevents its deletion until the transaction ends. */
export async function lockStore(sql: TransactionSql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from stores where id = ${id} for key share`;
  return rows.length > 0;
}

function toRecord(row: StoreRow): StoreRecord {
  return {
    id: row.id,
    name: row.name,
    tier: row.tier,
    timezone: row.timezone,
    locale: row.locale,
    country: countryOf(row),
    requests_per_minute: row.rate_limit ?? requestsPerMinute[row.tier],
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
