import type { Store } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { countryOf } from '@mostrador/kit/phones/country-of-place';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

type StoreRow = Omit<Store, 'calendar' | 'channel' | 'opt_out_stops_api' | 'created_at' | 'updated_at'> & {
  readonly created_at: Date;
  readonly updated_at: Date;
};

/** The store's own part of `GET /store`. Its row belongs to accounts, and the gateway may read these columns. */
export async function findStore(
  sql: Sql,
  id: string,
): Promise<Omit<Store, 'calendar' | 'channel' | 'opt_out_stops_api'> | null> {
  const [row] = await sql<StoreRow[]>`
    select id, name, tier, timezone, locale, country, created_at, updated_at from accounts.stores where id = ${id}`;
  if (!row) return null;
  return {
    ...row,
    country: countryOf(row),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
