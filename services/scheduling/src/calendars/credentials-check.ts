import { type Vault, vaultCheck } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Check } from '@mostrador/kit/process/health';
import { findConnection, findSealedStores } from './connection.repository.ts';
import { openCredentials } from './credentials.ts';

type Options = { readonly database: Database; readonly systemDatabase: SystemDatabase; readonly vault: Vault };

/** Checks that the configured keys open the stored credentials. */
export const credentialsCheck = ({ vault, ...databases }: Options): Check =>
  vaultCheck({
    ...databases,
    find: findSealedStores,
    read: findConnection,
    open(storeId, connection) {
      if (connection?.sealed_credentials) openCredentials(vault, storeId, connection);
    },
  });
