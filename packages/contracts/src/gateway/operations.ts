import { getMe } from './me.ts';
import { gatewayReportOperations } from './reports.ts';
import { getStore } from './stores.ts';
import { getEnvironment, giveUpWaiting, listWaiting, retryWaiting } from './waiting.ts';

export const gatewayOperations = {
  ...gatewayReportOperations,
  getStore,
  getMe,
  listWaiting,
  retryWaiting,
  giveUpWaiting,
  getEnvironment,
} as const;
