import { mostStoreKeys } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { isOwner } from '../people/person.repository.ts';
import { countValidKeys, lockKeys } from './api-key.repository.ts';

/**
 * Lets an owner create a key. Every gateway holds the keys of all stores, so a store has a limited number. An owner who was
 * removed or disabled since the session was checked creates none: what ended their keys has not seen it.
 *
 * @throws AppError `invalid_session`, `api_key_limit`
 */
export async function assertRoomForKey(sql: TransactionSql, storeId: string, userId: string): Promise<void> {
  await lockKeys(sql, storeId);
  if (!(await isOwner(sql, storeId, userId))) throw new AppError('invalid_session');
  if ((await countValidKeys(sql, storeId)) >= mostStoreKeys) throw new AppError('api_key_limit');
}
