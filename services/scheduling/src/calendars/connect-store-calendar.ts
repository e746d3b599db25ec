import type { connectStoreCalendar as operation } from '@mostrador/contracts';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { connect } from './connect-calendar.ts';
import { readStoreCalendar } from './read-calendar.ts';

export const connectStoreCalendar =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    requireRole(context, 'owner');
    await connect(dependencies, context, body);
    return await readStoreCalendar(dependencies, context);
  };
