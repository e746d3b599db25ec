import type { rotateStoreKey as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { assertRoomForKey } from './assert-room-for-key.ts';
import { replaceKey } from './change-keys.ts';
import { nameCreators } from './name-creators.ts';

export const rotateStoreKey =
  ({ database, systemDatabase, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { keyId }, body: { overlap_seconds: overlapSeconds } }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    const rotated = await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      await assertRoomForKey(sql, storeId, actorId);
      return await replaceKey({ sql, context, storeId, actorId }, { keyId, overlapSeconds });
    });
    announceAccessChange();
    const keys = [rotated.key, rotated.replaced] as const;
    const [key, replaced] = await nameCreators(systemDatabase, context, { storeId, keys });
    return { api_key: rotated.token, key, replaced };
  };
