import { vaultCheck } from '@mostrador/kit/clients/secrets';
import type { Check } from '@mostrador/kit/process/health';
import type { Dependencies } from '../../dependencies.ts';
import { findSealed, findSealedStores } from './endpoint.repository.ts';
import { openSecrets } from './secrets.ts';

type Used = Pick<Dependencies, 'database' | 'systemDatabase' | 'vault'>;

/** Checks that the configured keys open the stored secrets of the endpoints. */
export const secretsCheck = ({ vault, ...databases }: Used): Check =>
  vaultCheck({
    ...databases,
    find: findSealedStores,
    read: findSealed,
    open(_storeId, endpoints) {
      for (const { id, sealed_secrets } of endpoints) openSecrets(vault, id, sealed_secrets);
    },
  });
