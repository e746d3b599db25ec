import { eventsOperations, webhookStepLimits } from '@mostrador/contracts';
import { createVault } from '@mostrador/kit/clients/secrets';
import { loadConfig } from '@mostrador/kit/process/config';
import { runService } from '@mostrador/kit/service/service';
import { overdueGauges } from '@mostrador/kit/step/overdue';
import { createListTotals } from '@mostrador/totals';
import { eventsConfig } from './config.ts';
import { eventsLists } from './dependencies.ts';
import { deletedTextsJob } from './feed/delete-texts.ts';
import { notifyOver } from './feed/notify.ts';
import { partitionJob } from './feed/partition-job.ts';
import { createHandlers } from './handlers.ts';
import { feedGauges } from './metrics.ts';
import { secretsCheck } from './webhooks/endpoints/secrets-check.ts';
import { purgeWebhooks } from './webhooks/purge-webhooks.ts';
import { planLimits } from './webhooks/sending/plan-deliveries.ts';
import { overdueEndpoints } from './webhooks/sending/wake-overdue.ts';
import { webhookAddresses, webhookJobs } from './webhooks/webhook-jobs.ts';
import { countAttempts, webhookGauges } from './webhooks/webhook-metrics.ts';

const config = loadConfig(eventsConfig);
const vault = createVault(config.ENCRYPTION_KEYS);

runService({
  name: 'events',
  config,
  operations: eventsOperations,
  migrations: `${import.meta.dirname}/../migrations`,
  publishesEvents: false,
  temporal: config,
  vault,
  checks: ({ database, systemDatabase }) => ({ encryption_keys: secretsCheck({ database, systemDatabase, vault }) }),
  build: ({ database, systemDatabase, relay, nats, log, metrics }) => {
    const listTotals = createListTotals({ lists: eventsLists, database, systemDatabase, log });
    const { dependencies, jobs } = webhookJobs(
      {
        database,
        systemDatabase,
        listTotals,
        notify: notifyOver(nats),
        relay,
        vault,
        ...webhookAddresses(config.WEBHOOK_ALLOW_HOSTS, config.DNS_SERVERS),
        limits: { ...webhookStepLimits, ...planLimits },
        onAttempt: countAttempts(metrics),
      },
      { nats, log, relay },
    );
    return {
      handlers: createHandlers(dependencies),
      jobs: [partitionJob({ systemDatabase, log }), deletedTextsJob({ systemDatabase, log }), listTotals.job, ...jobs],
      purge: purgeWebhooks,
      gauges: [
        feedGauges(systemDatabase),
        webhookGauges(systemDatabase),
        overdueGauges(systemDatabase, [overdueEndpoints]),
      ],
    };
  },
});
