import type { createStoreKey as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { assertRoomForKey } from './assert-room-for-key.ts';
import { makeKey } from './change-keys.ts';
import { nameCreators } from './name-creators.ts';

export const createStoreKey =
  ({ database, systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { name, scopes, expires_at: expiresAt } }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    const made = await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      await assertRoomForKey(sql, storeId, actorId);
      return await makeKey({ sql, context, storeId, actorId }, { name, scopes, expiresAt });
    });
    const [key] = await nameCreators(systemDatabase, context, { storeId, keys: [made.key] });
    return { api_key: made.token, key };
  };
