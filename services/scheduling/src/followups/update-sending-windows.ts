import { faultsOfHours, type updateSendingWindows as operation } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { replanPending } from './replan-pending.ts';
import { saveSendingWindows } from './sending-windows.repository.ts';

export const updateSendingWindows =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { windows } }) => {
    const faults = faultsOfHours(windows, '#/windows');
    if (faults.length > 0) throw validationFailed(faults);
    await dependencies.database.write(context, (sql) => saveSendingWindows(sql, context.storeId, windows));
    await replanPending(dependencies, context);
    return { windows };
  };
