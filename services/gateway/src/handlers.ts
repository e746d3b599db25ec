import type { gatewayOperations } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc/server';
import type { Dependencies } from './dependencies.ts';
import { createApiKey } from './keys/create-api-key.ts';
import { listApiKeys } from './keys/list-api-keys.ts';
import { revokeApiKey } from './keys/revoke-api-key.ts';
import { rotateApiKey } from './keys/rotate-api-key.ts';
import { getLeadReport } from './reports/get-lead-report.ts';
import { getSummaryReport } from './reports/get-summary-report.ts';
import { createStore } from './stores/create-store.ts';
import { getStore } from './stores/get-store.ts';
import { getStoreSettings } from './stores/get-store-settings.ts';
import { listStores } from './stores/list-stores.ts';
import { updateStore } from './stores/update-store.ts';

/** The handlers of the gateway's own operations. A missing one is a type error. */
export const createHandlers = (dependencies: Dependencies): Handlers<typeof gatewayOperations> => ({
  getStore: getStore(dependencies),
  getStoreSettings: getStoreSettings(dependencies),
  createStore: createStore(dependencies),
  updateStore: updateStore(dependencies),
  listStores: listStores(dependencies),
  createApiKey: createApiKey(dependencies),
  listApiKeys: listApiKeys(dependencies),
  rotateApiKey: rotateApiKey(dependencies),
  revokeApiKey: revokeApiKey(dependencies),
  getSummaryReport: getSummaryReport(dependencies),
  getLeadReport: getLeadReport(dependencies),
});
