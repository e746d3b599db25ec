import type { changeSchedulingSettings as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { saveShowsCustomer } from '../calendars/calendar-settings.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { updateSendingWindows } from '../followups/update-sending-windows.ts';
import { readSettings } from './get-settings.ts';

export const changeSettings = (dependencies: Dependencies): Handler<typeof operation> => {
  const { database } = dependencies;
  const setWindows = updateSendingWindows(dependencies);
  return async (context, { body: { sending_windows: windows, calendar_customer: shows } }) => {
    if (shows !== undefined) await database.write(context, (sql) => saveShowsCustomer(sql, context.storeId, shows));
    if (windows !== undefined) await setWindows(context, { body: { windows } });
    return await database.read(context, (sql) => readSettings(sql, context.storeId));
  };
};
