import type { getStoreCalendar as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { readStoreCalendar } from './read-calendar.ts';

export const getStoreCalendar =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context) =>
    readStoreCalendar(dependencies, context);
