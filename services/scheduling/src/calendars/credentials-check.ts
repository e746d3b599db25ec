import { vaultCheck } from '@mostrador/kit/clients/secrets';
import type { Check } from '@mostrador/kit/process/health';
import type { Dependencies } from '../dependencies.ts';
import { findConnection, findSealedStores } from './connection.repository.ts';
import { openCredentials } from './credentials.ts';

type Used = Pick<Dependencies, 'database' | 'systemDatabase' | 'vault'>;

/** Checks that the configured keys open the stored credentials. */
export const credentialsCheck = ({ vault, ...databases }: Used): Check =>
  vaultCheck({
    ...databases,
    find: findSealedStores,
    read: findConnection,
    open(storeId, connection) {
      if (connection?.sealed_credentials) openCredentials(vault, storeId, connection);
    },
  });
