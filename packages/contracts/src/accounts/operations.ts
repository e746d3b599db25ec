import { createApiKey, listApiKeys, recordKeyUses, revokeApiKey, rotateApiKey } from './keys.ts';
import { createStore, getStoreSettings, listStores, updateStore } from './stores.ts';

export const accountsOperations = {
  getStoreSettings,
  createStore,
  updateStore,
  listStores,
  createApiKey,
  listApiKeys,
  rotateApiKey,
  revokeApiKey,
  recordKeyUses,
} as const;
