import type { revokeApiKey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStoreOfKey } from './api-key.repository.ts';
import { revokeKey } from './change-keys.ts';
import { nameCreators } from './name-creators.ts';

export const revokeApiKey =
  ({ database, systemDatabase, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { key_id: keyId } }) => {
    const storeId = await systemDatabase.read(context, (sql) => findStoreOfKey(sql, keyId));
    if (!storeId) throw new AppError('api_key_not_found');
    const revoked = await database.write({ storeId, deadline: context.deadline }, (sql) =>
      revokeKey({ sql, context, storeId, actorId: null }, keyId),
    );
    announceAccessChange();
    const [key] = await nameCreators(systemDatabase, context, { storeId, keys: [revoked] });
    return key;
  };
