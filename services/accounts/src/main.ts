import { accountsOperations } from '@mostrador/contracts';
import { loadConfig } from '@mostrador/kit/process/config';
import { runService } from '@mostrador/kit/process/service';
import { announceOver } from './announce.ts';
import { accountsConfig } from './config.ts';
import { createHandlers } from './handlers.ts';
import { migrations } from './migrations.ts';

runService({
  name: 'accounts',
  config: loadConfig(accountsConfig),
  operations: accountsOperations,
  migrations,
  publishesEvents: false,
  build: ({ database, systemDatabase, rpc, nats }) => ({
    handlers: createHandlers({ database, systemDatabase, rpc, announceAccessChange: announceOver(nats) }),
  }),
});
