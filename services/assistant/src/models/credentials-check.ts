import { vaultCheck } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Check } from '@mostrador/kit/process/health';
import type { Dependencies } from '../dependencies.ts';
import { findEmbedder } from '../embedder/embedder.repository.ts';
import { openCredentials, openEmbedderCredentials } from './credentials.ts';
import { findConnections, findSealedStores } from './model-connection.repository.ts';

type Used = Pick<Dependencies, 'vault'> & { readonly database: Database; readonly systemDatabase: SystemDatabase };

/** Checks that the configured keys open the stored keys of providers. */
export const credentialsCheck = ({ vault, ...databases }: Used): Check =>
  vaultCheck({
    ...databases,
    find: findSealedStores,
    read: (sql, storeId) => Promise.all([findConnections(sql, storeId), findEmbedder(sql, storeId)]),
    open(storeId, [connections, embedders]) {
      for (const connection of connections) openCredentials(vault, storeId, connection);
      for (const embedder of embedders) openEmbedderCredentials(vault, storeId, embedder);
    },
  });
