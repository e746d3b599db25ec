import type { Database } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findStore } from '../stores/store.repository.ts';

/** The time zone of a report: the one in the query, else the store's. */
export async function reportZone(
  database: Database,
  context: StoreContext,
  asked: string | undefined,
): Promise<string> {
  if (asked !== undefined) return asked;
  const store = await database.read(context, (sql) => findStore(sql, context.storeId));
  if (!store) throw new AppError('store_not_found');
  return store.timezone;
}
