import { type Vault, vaultCheck } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Check } from '@mostrador/kit/process/health';
import { findLiveChannel, findSealedStores } from './channel.repository.ts';
import { openCredentials } from './credentials.ts';

const limitMs = 5_000;

/** Checks that the configured keys open the stored credentials: those of one channel for each key. */
export function credentialsCheck(options: { database: Database; systemDatabase: SystemDatabase; vault: Vault }): Check {
  const { database, systemDatabase, vault } = options;
  const soon = () => ({ deadline: Date.now() + limitMs });
  return vaultCheck({
    sample: () => systemDatabase.read(soon(), findSealedStores),
    async open({ store_id: storeId }) {
      const channel = await database.read({ storeId, ...soon() }, (sql) => findLiveChannel(sql, storeId));
      if (channel?.sealed_credentials) openCredentials(vault, storeId, channel);
    },
  });
}
