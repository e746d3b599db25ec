import type { getStoreCalendar as operation } from '@mostrador/contracts';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { readStoreCalendar } from './read-calendar.ts';

export const getStoreCalendar =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    requireRole(context, 'manager');
    return await readStoreCalendar(dependencies, context);
  };
