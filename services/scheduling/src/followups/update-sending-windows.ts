import type { updateSendingWindows as operation, SendingWindows, ValidationFault } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { replanPending } from './replan-pending.ts';
import { minutesOf } from './sending-window.ts';
import { saveSendingWindows } from './sending-windows.repository.ts';

export const updateSendingWindows =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { windows } }) => {
    const faults = faultsOf(windows);
    if (faults.length > 0) throw validationFailed(faults);
    await dependencies.database.write(context, (sql) => saveSendingWindows(sql, context.storeId, windows));
    await replanPending(dependencies, context);
    return { windows };
  };

/** A window across midnight must be given as two windows. */
const faultsOf = (windows: SendingWindows): ValidationFault[] =>
  windows.flatMap(({ from, to }, index) =>
    minutesOf(from) < minutesOf(to) ? [] : [{ pointer: `#/windows/${index}/to`, detail: 'must be after `from`' }],
  );
