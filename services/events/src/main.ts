import { eventsOperations } from '@mostrador/contracts';
import { loadConfig } from '@mostrador/kit/process/config';
import { runService } from '@mostrador/kit/process/service';
import { eventsConfig } from './config.ts';
import { notifyOver } from './feed/notify.ts';
import { partitionJob } from './feed/partition-job.ts';
import { createHandlers } from './handlers.ts';
import { exportFeedMetrics } from './metrics.ts';
import { migrations } from './migrations.ts';

runService({
  name: 'events',
  config: loadConfig(eventsConfig),
  operations: eventsOperations,
  migrations,
  publishesEvents: false,
  build: ({ database, systemDatabase, nats, log, metrics }) => {
    exportFeedMetrics(metrics, systemDatabase);
    return {
      handlers: createHandlers({ database, systemDatabase, notify: notifyOver(nats) }),
      jobs: [partitionJob({ systemDatabase, log })],
    };
  },
});
