import { messagingOperations } from '@mostrador/contracts';
import { createEgress } from '@mostrador/kit/clients/egress';
import { createVault } from '@mostrador/kit/clients/secrets';
import { consumeEvents } from '@mostrador/kit/outbox/events-consumer';
import { loadConfig, orExit } from '@mostrador/kit/process/config';
import { periodically } from '@mostrador/kit/process/periodic';
import { createProviderCircuit, purgeProviderCircuits } from '@mostrador/kit/resilience/provider-circuit';
import { circuitGauges } from '@mostrador/kit/resilience/provider-metrics';
import { runService } from '@mostrador/kit/service/service';
import { overdueGauges, overdueJob } from '@mostrador/kit/step/overdue';
import { createListTotals } from '@mostrador/totals';
import { channelCircuit } from './channels/channel-circuit.ts';
import { credentialsCheck } from './channels/credentials-check.ts';
import { createOpenChannel } from './channels/providers.ts';
import { messagingConfig } from './config.ts';
import { checkChannels } from './connection/check-channels.ts';
import { deliveryGauges } from './delivery/delivery-metrics.ts';
import { createDeliveryNotices } from './delivery/delivery-notices.ts';
import { deliveryLimits } from './delivery/limits.ts';
import { createPump } from './delivery/pump.ts';
import { overdueDeliveries } from './delivery/wake-overdue.ts';
import { watchUnsettled } from './delivery/watchdog.ts';
import { messagingLists, type Telephone } from './dependencies.ts';
import { createHandlers } from './handlers.ts';
import { createInboundJobs } from './inbound/inbound-jobs.ts';
import { inboundGauges } from './inbound/inbound-metrics.ts';
import { crmEvents, onCrmEvent } from './inbound/on-crm-event.ts';
import { catchUpAll } from './inbox/catch-up.ts';
import { createOutcomeWaiters } from './messages/outcome-waiters.ts';
import { budgetGauges } from './prices/budget-metrics.ts';
import { openRateCard } from './prices/rate-card.ts';
import { endIdleSessions } from './sessions/end-idle-sessions.ts';
import { syncAccounts } from './templates/sync-account.ts';

/** The number of requests in this process that may wait for the outcome of their message. */
const mostWaiting = 1000;

const config = loadConfig(messagingConfig);
// A file that is not valid keeps the process from starting.
const { WHATSAPP_RATES_FILE } = config;
const rateCardWith = orExit(() => (WHATSAPP_RATES_FILE ? openRateCard(WHATSAPP_RATES_FILE) : undefined));
const vault = createVault(config.ENCRYPTION_KEYS);
const egress = createEgress({
  allowHosts: config.PROVIDER_ALLOW_HOSTS,
  plaintextHosts: config.PLAINTEXT_ALLOW_HOSTS,
  dnsServers: config.DNS_SERVERS,
});

runService({
  name: 'messaging',
  config,
  operations: messagingOperations,
  migrations: `${import.meta.dirname}/../migrations`,
  temporal: config,
  vault,
  checks: ({ database, systemDatabase }) => ({
    encryption_keys: credentialsCheck({ database, systemDatabase, vault }),
  }),
  build: ({ database, systemDatabase, rpc, relay, nats, log, metrics, tracing }) => {
    const rateCard = rateCardWith?.(log);
    const outcomes = createOutcomeWaiters({ nats, log, most: mostWaiting });
    const { inbound, jobs: inboundJobs } = createInboundJobs({
      ...{ database, systemDatabase, rpc, relay, outcomes, rateCard, log },
    });
    const listTotals = createListTotals({ lists: messagingLists, database, systemDatabase, log });
    const openChannel = createOpenChannel({ database, vault, egress });
    const circuit = createProviderCircuit(channelCircuit, { systemDatabase, log, metrics, tracing });
    const notices = createDeliveryNotices({ nats, log });
    const sending = { database, systemDatabase, rpc, outcomes, relay, circuit, openChannel, limits: deliveryLimits };
    const pump = createPump({ ...sending, notices, log });
    return {
      handlers: createHandlers({
        database,
        systemDatabase,
        rpc,
        relay,
        listTotals,
        outcomes,
        inbound,
        vault,
        openChannel,
        egress,
        circuit,
        limits: deliveryLimits,
        notices,
        pump,
        telephone: {
          writesAs: config.SANDBOX_TELEPHONE as Telephone['writesAs'],
          days: config.SANDBOX_TELEPHONE_DAYS,
        },
        rateCard,
        publicUrl: config.PUBLIC_URL,
      }),
      purge: purgeProviderCircuits,
      gauges: [
        deliveryGauges(systemDatabase),
        inboundGauges(systemDatabase),
        overdueGauges(systemDatabase, [overdueDeliveries]),
        circuitGauges(systemDatabase),
        budgetGauges(systemDatabase),
      ],
      jobs: [
        { start() {}, stop: () => pump.stop() },
        ...inboundJobs,
        listTotals.job,
        overdueJob({ ...overdueDeliveries, systemDatabase, relay, log }),
        periodically({
          name: 'unsettled messages',
          everyMs: 15_000,
          log,
          run: async (signal) => {
            const told = await watchUnsettled({ database, systemDatabase, relay, log }, signal);
            if (told > 0) log.warn({ told }, 'messages have had no outcome or status update for too long');
          },
        }),
        periodically({
          name: 'refused channels',
          everyMs: 10_000,
          log,
          run: (signal) =>
            checkChannels(
              { ...{ database, systemDatabase, relay, notices }, ...{ openChannel, circuit, log } },
              signal,
            ),
        }),
        periodically({
          name: 'accounts',
          everyMs: 10_000,
          log,
          run: (signal) =>
            syncAccounts({ ...{ database, systemDatabase, relay }, ...{ openChannel, circuit, log } }, signal),
        }),
        periodically({
          name: 'inbox',
          everyMs: 5_000,
          log,
          run: async (signal) => void (await catchUpAll({ database, systemDatabase, rpc, log }, signal)),
        }),
        periodically({
          name: 'idle sessions',
          everyMs: 15_000,
          log,
          run: async (signal) => void (await endIdleSessions({ database, systemDatabase, relay, log }, signal)),
        }),
      ],
      consumers: [
        consumeEvents({
          nats,
          log,
          name: 'messaging-leads',
          types: crmEvents,
          revision: 3,
          handle: onCrmEvent({ database, rpc, relay }),
        }),
      ],
    };
  },
});
