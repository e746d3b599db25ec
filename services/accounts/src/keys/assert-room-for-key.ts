import { mostStoreKeys } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { countForCreation } from './api-key.repository.ts';

/** Every gateway holds the keys of all stores, so a store has a limited number. Throws `api_key_limit`. */
export async function assertRoomForKey(sql: TransactionSql, storeId: string): Promise<void> {
  if ((await countForCreation(sql, storeId)) >= mostStoreKeys) throw new AppError('api_key_limit');
}
