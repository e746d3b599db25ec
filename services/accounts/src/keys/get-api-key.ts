import type { getApiKey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findApiKey } from './api-key.repository.ts';

export const getApiKey =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const found = await database.read(context, (sql) => findApiKey(sql, context.storeId, body.key_id));
    if (!found) throw new AppError('invalid_api_key');
    return found.key;
  };
