import { vaultCheck } from '@mostrador/kit/clients/secrets';
import type { Check } from '@mostrador/kit/process/health';
import type { Dependencies } from '../dependencies.ts';
import { findLiveChannel, findSealedStores } from './channel.repository.ts';
import { openCredentials } from './credentials.ts';

type Used = Pick<Dependencies, 'database' | 'systemDatabase' | 'vault'>;

/** Checks that the configured keys open the stored credentials. */
export const credentialsCheck = ({ vault, ...databases }: Used): Check =>
  vaultCheck({
    ...databases,
    find: findSealedStores,
    read: findLiveChannel,
    open(storeId, channel) {
      if (channel?.sealed_credentials) openCredentials(vault, storeId, channel);
    },
  });
