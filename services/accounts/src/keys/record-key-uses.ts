import type { recordKeyUses as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { recordUses } from './api-key.repository.ts';

/** A gateway cannot date a use in the future, and all that it can change here is when a key was last used. */
export const recordKeyUses =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const uses = body.uses.map(({ key_id, used_at }) => ({ keyId: key_id, usedAt: used_at }));
    if (uses.length > 0) await systemDatabase.write(context, (sql) => recordUses(sql, uses));
    return {};
  };
