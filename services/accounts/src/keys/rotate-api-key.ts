import type { rotateApiKey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStoreOfKey } from './api-key.repository.ts';
import { replaceKey } from './change-keys.ts';
import { nameCreators } from './name-creators.ts';

const defaultOverlapSeconds = 86_400;

export const rotateApiKey =
  ({ database, systemDatabase, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { key_id: keyId, overlap_seconds: overlapSeconds = defaultOverlapSeconds } }) => {
    const storeId = await systemDatabase.read(context, (sql) => findStoreOfKey(sql, keyId));
    if (!storeId) throw new AppError('api_key_not_found');
    const rotated = await database.write({ storeId, deadline: context.deadline }, (sql) =>
      replaceKey({ sql, context, storeId, actorId: null }, { keyId, overlapSeconds }),
    );
    announceAccessChange();
    const keys = [rotated.key, rotated.replaced] as const;
    const [key, replaced] = await nameCreators(systemDatabase, context, { storeId, keys });
    return { api_key: rotated.token, key, replaced };
  };
