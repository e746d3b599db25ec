import type { createApiKey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { lockStore } from '../stores/store.repository.ts';
import { makeKey } from './change-keys.ts';

export const createApiKey =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { store_id: storeId, name, scopes = null, expires_at: expiresAt = null } }) => {
    const made = await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      if (!(await lockStore(sql, storeId))) throw new AppError('store_not_found');
      return await makeKey({ sql, context, storeId, actorId: null }, { name, scopes, expiresAt });
    });
    return { api_key: made.token, key: made.key.key };
  };
