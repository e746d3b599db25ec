import type { revokeApiKey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStoreOfKey, revokeApiKeyRow } from './api-key.repository.ts';

export const revokeApiKey =
  ({ database, systemDatabase, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { key_id: keyId } }) => {
    const storeId = await systemDatabase.read(context, (sql) => findStoreOfKey(sql, keyId));
    const key =
      storeId &&
      (await database.write({ storeId, deadline: context.deadline }, (sql) => revokeApiKeyRow(sql, storeId, keyId)));
    if (!key) throw new AppError('api_key_not_found');
    announceAccessChange();
    return key;
  };
