import { type Vault, vaultCheck } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Check } from '@mostrador/kit/process/health';
import { findLiveChannel, findSealedStores } from './channel.repository.ts';
import { openCredentials } from './credentials.ts';

type Options = { readonly database: Database; readonly systemDatabase: SystemDatabase; readonly vault: Vault };

/** Checks that the configured keys open the stored credentials. */
export const credentialsCheck = ({ vault, ...databases }: Options): Check =>
  vaultCheck({
    ...databases,
    find: findSealedStores,
    read: findLiveChannel,
    open(storeId, channel) {
      if (channel?.sealed_credentials) openCredentials(vault, storeId, channel);
    },
  });
