import type { getSchedulingSettings as operation } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findShowsCustomer } from '../calendars/calendar-settings.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { findSendingWindows } from '../followups/sending-windows.repository.ts';

export const getSettings =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context) =>
    await database.read(context, (sql) => readSettings(sql, context.storeId));

export async function readSettings(sql: Sql, storeId: string) {
  const [sending_windows, calendar_customer] = await Promise.all([
    findSendingWindows(sql, storeId),
    findShowsCustomer(sql, storeId),
  ]);
  return { sending_windows, calendar_customer };
}
