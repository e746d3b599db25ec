import type { gatewayOperations } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc/server';
import type { Dependencies } from './dependencies.ts';
import { getEnvironment } from './environment/get-environment.ts';
import { getLeadReport } from './reports/get-lead-report.ts';
import { getSummaryReport } from './reports/get-summary-report.ts';
import { getStore } from './stores/get-store.ts';
import { giveUpWaiting } from './waiting/give-up-waiting.ts';
import { listWaiting } from './waiting/list-waiting.ts';
import { retryWaiting } from './waiting/retry-waiting.ts';

/** The handlers of the gateway's own operations. A missing one is a type error. */
export const createHandlers = (dependencies: Dependencies): Handlers<typeof gatewayOperations> => ({
  getStore: getStore(dependencies),
  listWaiting: listWaiting(dependencies),
  retryWaiting: retryWaiting(dependencies),
  giveUpWaiting: giveUpWaiting(dependencies),
  getEnvironment: getEnvironment(dependencies),
  getSummaryReport: getSummaryReport(dependencies),
  getLeadReport: getLeadReport(dependencies),
});
