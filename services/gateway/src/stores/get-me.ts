import { getApiKey, type getMe as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findAccess } from '../access/access.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import type { OwnHandler } from '../own-handler.ts';
import { findStore } from './store.repository.ts';

/** The key that calls, with its name from accounts, whose other columns the gateway may not read. */
export const getMe =
  ({ lookUps, rpc }: Dependencies): OwnHandler<typeof operation> =>
  async (context) => {
    // Only a key calls: people have no `GET /me`.
    const keyId = context.actor?.id ?? '';
    const [key, store, [access]] = await Promise.all([
      rpc.call(getApiKey, { body: { key_id: keyId } }, context),
      findStore(lookUps, context),
      lookUps.read(context, (sql) => findAccess(sql, [keyId])),
    ]);
    if (!store || !access) throw new AppError('invalid_api_key');
    const { id, name, scopes, expires_at, created_at } = key;
    const { created_at: _, updated_at: __, ...ofStore } = store;
    return {
      key: { id, name, scopes, expires_at, created_at },
      store: ofStore,
      rate_limit: { requests_per_minute: access.requestsPerMinute },
    };
  };
