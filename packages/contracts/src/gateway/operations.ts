import { gatewayReportOperations } from './reports.ts';
import { getStore } from './stores.ts';
import { getEnvironment, giveUpWaiting, listWaiting, retryWaiting } from './waiting.ts';

export const gatewayOperations = {
  getStore,
  listWaiting,
  retryWaiting,
  giveUpWaiting,
  getEnvironment,
  ...gatewayReportOperations,
} as const;
