import { messagingOperations } from '@mostrador/contracts';
import { loadConfig } from '@mostrador/kit/config';
import { runService } from '@mostrador/kit/service';
import { messagingConfig } from './config.ts';
import { handlers } from './service.ts';

runService({
  name: 'messaging',
  config: loadConfig(messagingConfig),
  operations: messagingOperations,
  build: (dependencies) => ({ handlers: handlers(dependencies) }),
});
