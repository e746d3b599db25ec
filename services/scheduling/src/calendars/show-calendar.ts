import type { showCalendar as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { readCalendar } from './read-calendar.ts';

export const showCalendar =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { last_error, refused_at: _, ...calendar } = await readCalendar(dependencies, context);
    return { ...calendar, last_error: last_error && `${last_error.code}: ${last_error.detail}` };
  };
