import { schedulingOperations } from '@mostrador/contracts';
import { taskQueues } from '@mostrador/contracts/workflows';
import { createEgress } from '@mostrador/kit/clients/egress';
import { createVault } from '@mostrador/kit/clients/secrets';
import { consumeEvents } from '@mostrador/kit/outbox/events-consumer';
import { loadConfig } from '@mostrador/kit/process/config';
import { createProviderCircuit, purgeProviderCircuits } from '@mostrador/kit/resilience/provider-circuit';
import { circuitGauges } from '@mostrador/kit/resilience/provider-metrics';
import { runService } from '@mostrador/kit/service/service';
import { overdueGauges, overdueJob } from '@mostrador/kit/step/overdue';
import { createListTotals } from '@mostrador/totals';
import { purgeHolds } from './availability/purge-holds.ts';
import { syncGauges } from './calendar-sync/sync-metrics.ts';
import { overdueSyncs } from './calendar-sync/wake-overdue.ts';
import { addWatches } from './calendar-watch/add-watches.ts';
import { createFairPause } from './calendar-watch/fair-pause.ts';
import { overdueWatches } from './calendar-watch/wake-overdue.ts';
import { calendarCircuit } from './calendars/calendar-circuit.ts';
import { credentialsCheck } from './calendars/credentials-check.ts';
import { countGoogleRequests } from './calendars/google/quota.ts';
import { createProviders } from './calendars/providers.ts';
import { schedulingConfig } from './config.ts';
import { schedulingLists } from './dependencies.ts';
import { messagingEvents, onMessagingEvent } from './followups/on-messaging-event.ts';
import { overdueFollowups } from './followups/wake-overdue.ts';
import { createHandlers } from './handlers.ts';
import { answersJob } from './reminders/find-answers.ts';

const config = loadConfig(schedulingConfig);
const vault = createVault(config.ENCRYPTION_KEYS);
const egress = createEgress({
  allowHosts: config.PROVIDER_ALLOW_HOSTS,
  plaintextHosts: config.PLAINTEXT_ALLOW_HOSTS,
  dnsServers: config.DNS_SERVERS,
});

runService({
  name: 'scheduling',
  config,
  operations: schedulingOperations,
  migrations: `${import.meta.dirname}/../migrations`,
  temporal: config,
  watchedTaskQueues: taskQueues,
  vault,
  checks: ({ database, systemDatabase }) => ({
    encryption_keys: credentialsCheck({ database, systemDatabase, vault }),
  }),
  build: ({ database, systemDatabase, rpc, relay, nats, log, metrics, tracing }) => {
    const requestsPerMinute = config.GOOGLE_CALENDAR_QUOTA;
    const fairPause = createFairPause({ systemDatabase, log, requestsPerMinute });
    const listTotals = createListTotals({ lists: schedulingLists, database, systemDatabase, log });
    return {
      handlers: createHandlers({
        database,
        systemDatabase,
        rpc,
        relay,
        listTotals,
        vault,
        openProvider: createProviders(egress, countGoogleRequests(metrics)),
        egress,
        circuit: createProviderCircuit(calendarCircuit, { systemDatabase, log, metrics, tracing }),
        publicUrl: config.PUBLIC_URL,
        fairPauseMs: fairPause.pauseMs,
      }),
      purge: async (purged) => {
        await purgeProviderCircuits(purged);
        await purgeHolds(purged);
        await addWatches(purged);
      },
      gauges: [
        syncGauges(systemDatabase),
        overdueGauges(systemDatabase, [overdueSyncs, overdueFollowups, overdueWatches]),
        circuitGauges(systemDatabase),
      ],
      jobs: [
        listTotals.job,
        fairPause.job,
        overdueJob({ ...overdueSyncs, systemDatabase, relay, log }),
        overdueJob({ ...overdueFollowups, systemDatabase, relay, log }),
        overdueJob({ ...overdueWatches, systemDatabase, relay, log }),
        answersJob({ systemDatabase, relay, log }),
      ],
      consumers: [
        consumeEvents({
          nats,
          log,
          name: 'scheduling-followups',
          types: messagingEvents,
          revision: 2,
          handle: onMessagingEvent({ database, rpc, relay }),
        }),
      ],
    };
  },
});
