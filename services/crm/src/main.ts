import { crmOperations } from '@mostrador/contracts';
import { loadConfig } from '@mostrador/kit/process/config';
import { runService } from '@mostrador/kit/process/service';
import { crmConfig } from './config.ts';
import { createHandlers } from './handlers.ts';
import { migrations } from './migrations.ts';

runService({
  name: 'crm',
  config: loadConfig(crmConfig),
  operations: crmOperations,
  migrations,
  build: (dependencies) => ({ handlers: createHandlers(dependencies) }),
});
