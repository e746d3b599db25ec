import { type Vault, vaultCheck } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Check } from '@mostrador/kit/process/health';
import { findConnection, findSealedStores } from './connection.repository.ts';
import { openCredentials } from './credentials.ts';

const limitMs = 5_000;

/** Checks that the configured keys open the stored credentials: those of one connection for each key. */
export function credentialsCheck(options: { database: Database; systemDatabase: SystemDatabase; vault: Vault }): Check {
  const { database, systemDatabase, vault } = options;
  const soon = () => ({ deadline: Date.now() + limitMs });
  return vaultCheck({
    sample: () => systemDatabase.read(soon(), findSealedStores),
    async open({ store_id: storeId }) {
      const connection = await database.read({ storeId, ...soon() }, (sql) => findConnection(sql, storeId));
      if (connection?.sealed_credentials) openCredentials(vault, storeId, connection);
    },
  });
}
