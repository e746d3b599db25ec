import type { connectStoreCalendar as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { connect } from './connect-calendar.ts';
import { readStoreCalendar } from './read-calendar.ts';

export const connectStoreCalendar =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    await connect(dependencies, context, body);
    return await readStoreCalendar(dependencies, context);
  };
