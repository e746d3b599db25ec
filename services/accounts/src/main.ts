import { accountsOperations } from '@mostrador/contracts';
import { loadConfig } from '@mostrador/kit/process/config';
import { periodically } from '@mostrador/kit/process/periodic';
import { runService } from '@mostrador/kit/service/service';
import { announceOver } from './announce.ts';
import { accountsConfig } from './config.ts';
import { tellFailedSignIns } from './credentials/failed-sign-ins.ts';
import { createPasswordHashing } from './credentials/password-hashing.ts';
import { createHandlers } from './handlers.ts';
import { openOidcProvider } from './oidc/open-oidc-provider.ts';
import { pauseEndpoints } from './people/pause-endpoints.ts';
import { purge } from './purge.ts';

const config = loadConfig(accountsConfig);
const oidc = openOidcProvider(config);

runService({
  name: 'accounts',
  config,
  operations: accountsOperations,
  migrations: `${import.meta.dirname}/../migrations`,
  publishesEvents: false,
  build: ({ database, systemDatabase, rpc, nats, log }) => ({
    jobs: [
      periodically({
        name: 'endpoints of people who left',
        everyMs: 5_000,
        log,
        run: async () => await pauseEndpoints({ systemDatabase, rpc }),
      }),
      periodically({
        name: 'failed sign-ins',
        everyMs: 60_000,
        log,
        run: async () => await tellFailedSignIns(systemDatabase),
      }),
    ],
    handlers: createHandlers({
      database,
      systemDatabase,
      rpc,
      passwords: createPasswordHashing(),
      oidc,
      publicUrl: config.PUBLIC_URL,
      announceAccessChange: announceOver(nats),
    }),
    purge,
  }),
});
