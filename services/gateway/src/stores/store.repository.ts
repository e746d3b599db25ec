import type { Store } from '@mostrador/contracts';
import type { Sql, SystemDatabase } from '@mostrador/kit/database/database';
import { countryOf } from '@mostrador/kit/phones/country-of-place';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

type OwnPart = Omit<Store, 'calendar' | 'channel' | 'opt_out_stops_api' | 'message_budget' | 'sending_windows'>;
type StoreRow = Omit<OwnPart, 'created_at' | 'updated_at'> & { readonly created_at: Date; readonly updated_at: Date };

/** The row belongs to accounts, and the gateway may read these columns. */
export const readStore = (sql: Sql, id: string) => sql<StoreRow[]>`
  select id, name, tier, timezone, locale, country, created_at, updated_at from accounts.stores where id = ${id}`;

/** The store's own part of `GET /store`. */
export async function findStore(
  lookUps: SystemDatabase,
  { storeId, deadline }: { readonly storeId: string; readonly deadline: number },
): Promise<OwnPart | null> {
  const [row] = await lookUps.lookUp({ deadline }, (sql) => readStore(sql, storeId));
  if (!row) return null;
  return {
    ...row,
    country: countryOf(row),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
