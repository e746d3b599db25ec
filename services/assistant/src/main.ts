import { assistantOperations } from '@mostrador/contracts';
import { consumeEvents } from '@mostrador/kit/outbox/events-consumer';
import { loadConfig } from '@mostrador/kit/process/config';
import { runService } from '@mostrador/kit/service/service';
import { overdueGauges, overdueJob } from '@mostrador/kit/step/overdue';
import { assistantConfig } from './config.ts';
import { createHandlers } from './handlers.ts';
import { openModel } from './models/open-model.ts';
import { onMessageReceived } from './turns/on-message-received.ts';
import { overdueTurns } from './turns/wake-overdue.ts';

const config = loadConfig(assistantConfig);

runService({
  name: 'assistant',
  config,
  operations: assistantOperations,
  migrations: `${import.meta.dirname}/../migrations`,
  temporal: config,
  build: ({ database, systemDatabase, rpc, relay, nats, log }) => ({
    handlers: createHandlers({ database, rpc, relay, openModel }),
    gauges: [overdueGauges(systemDatabase, [overdueTurns])],
    jobs: [overdueJob({ ...overdueTurns, systemDatabase, relay, log })],
    consumers: [
      consumeEvents({
        nats,
        log,
        name: 'assistant-turns',
        types: ['messaging.message.received'],
        handle: onMessageReceived({ database, relay }),
      }),
    ],
  }),
});
