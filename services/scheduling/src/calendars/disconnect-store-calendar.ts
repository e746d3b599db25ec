import type { disconnectStoreCalendar as operation } from '@mostrador/contracts';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { disconnect } from './disconnect-calendar.ts';

export const disconnectStoreCalendar =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    requireRole(context, 'owner');
    await disconnect(dependencies, context);
    return { done: true as const };
  };
