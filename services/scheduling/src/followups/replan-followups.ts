import { getStoreSettings, type replanFollowups as operation } from '@mostrador/contracts';
import { appendOutbox } from '@mostrador/kit/outbox/outbox';
import type { Handler } from '@mostrador/kit/rpc/server';
import { bookingChanged } from '../booking/booking-changed.ts';
import { saveZone } from '../booking/rules.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { replanPending } from './replan-pending.ts';

export const replanFollowups =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { timezone } = await dependencies.rpc.call(getStoreSettings, {}, context);
    await dependencies.database.write(context, async (sql) => {
      const isOther = await saveZone(sql, context.storeId, timezone);
      if (isOther) await appendOutbox(sql, context.storeId, [bookingChanged(context.storeId)]);
    });
    await replanPending(dependencies, context);
    return { done: true as const };
  };
