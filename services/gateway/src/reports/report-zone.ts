import type { SystemDatabase } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findStore } from '../stores/store.repository.ts';

/** The time zone of a report: the one in the query, else the store's. */
export async function reportZone(
  lookUps: SystemDatabase,
  context: { readonly storeId: string; readonly deadline: number },
  asked: string | undefined,
): Promise<string> {
  if (asked !== undefined) return asked;
  const store = await findStore(lookUps, context);
  if (!store) throw new AppError('store_not_found');
  return store.timezone;
}
