import type { createApiKey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { apiKeyForm } from '@mostrador/kit/tokens/token';
import type { Dependencies } from '../dependencies.ts';
import { lockStore } from '../stores/store.repository.ts';
import { insertApiKey } from './api-key.repository.ts';

export const createApiKey =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { id, token, hash } = apiKeyForm.make();
    const key = await database.write({ storeId: body.store_id, deadline: context.deadline }, async (sql) => {
      if (!(await lockStore(sql, body.store_id))) throw new AppError('store_not_found');
      return await insertApiKey(sql, body.store_id, {
        id,
        keyHash: hash,
        name: body.name,
        scopes: body.scopes ?? null,
        expiresAt: body.expires_at ? toInstant(body.expires_at) : null,
      });
    });
    return { api_key: token, key };
  };
