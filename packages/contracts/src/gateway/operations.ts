import { createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from './keys.ts';
import { gatewayReportOperations } from './reports.ts';
import { createStore, getStore, getStoreSettings, listStores, updateStore } from './stores.ts';

export const gatewayOperations = {
  getStore,
  getStoreSettings,
  createStore,
  updateStore,
  listStores,
  createApiKey,
  listApiKeys,
  rotateApiKey,
  revokeApiKey,
  ...gatewayReportOperations,
} as const;
