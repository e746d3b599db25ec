import type { updateCalendarSettings as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { saveShowsCustomer } from './calendar-settings.repository.ts';

/** Each event follows with its next sync, and a feed with its next request. */
export const updateCalendarSettings =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { show_customer } }) => {
    await database.write(context, (sql) => saveShowsCustomer(sql, context.storeId, show_customer));
    return { show_customer };
  };
