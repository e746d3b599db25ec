import { gatewayReportOperations } from './reports.ts';
import { getStore } from './stores.ts';

export const gatewayOperations = {
  getStore,
  ...gatewayReportOperations,
} as const;
