import type { revokeStoreKey as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { revokeKey } from './change-keys.ts';
import { nameCreators } from './name-creators.ts';

export const revokeStoreKey =
  ({ database, systemDatabase, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { keyId } }) => {
    const { store_id: storeId, user_id: actorId } = await requireSession(systemDatabase, context);
    const revoked = await database.write({ storeId, deadline: context.deadline }, (sql) =>
      revokeKey({ sql, context, storeId, actorId }, keyId),
    );
    announceAccessChange();
    const [key] = await nameCreators(systemDatabase, context, { storeId, keys: [revoked] });
    return key;
  };
