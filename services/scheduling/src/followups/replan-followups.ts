import { getStoreSettings, type replanFollowups as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { saveZone } from '../booking/rules.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { replanPending } from './replan-pending.ts';

export const replanFollowups =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { timezone } = await dependencies.rpc.call(getStoreSettings, {}, context);
    await dependencies.database.write(context, (sql) => saveZone(sql, context.storeId, timezone));
    await replanPending(dependencies, context);
    return { done: true as const };
  };
