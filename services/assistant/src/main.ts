import { assistantOperations } from '@mostrador/contracts';
import { createEgress } from '@mostrador/kit/clients/egress';
import { createVault } from '@mostrador/kit/clients/secrets';
import { consumeEvents } from '@mostrador/kit/outbox/events-consumer';
import { loadConfig, orExit } from '@mostrador/kit/process/config';
import { runService } from '@mostrador/kit/service/service';
import { overdueGauges, overdueJob } from '@mostrador/kit/step/overdue';
import { assistantConfig } from './config.ts';
import { createHandlers } from './handlers.ts';
import { diedCallsJob } from './models/count-died-calls.ts';
import { credentialsCheck } from './models/credentials-check.ts';
import { countEmbedderCalls, countModelCalls } from './models/model-metrics.ts';
import { createModels } from './models/open-model.ts';
import { tracedModels } from './models/traced-models.ts';
import { budgetGauges } from './prices/budget-metrics.ts';
import { openPriceList } from './prices/price-list.ts';
import { purgeOffers } from './tools/purge-offers.ts';
import { eventsOfTurns, onTurnEvent } from './turns/on-turn-event.ts';
import { createTurnStarter } from './turns/start-due.ts';
import { overdueTurns } from './turns/wake-overdue.ts';

const config = loadConfig(assistantConfig);
// A file that is not valid keeps the process from starting.
const { MODEL_PRICES_FILE } = config;
const pricesWith = orExit(() => (MODEL_PRICES_FILE ? openPriceList(MODEL_PRICES_FILE) : undefined));
const vault = createVault(config.ENCRYPTION_KEYS);
const egress = createEgress({
  allowHosts: config.PROVIDER_ALLOW_HOSTS,
  plaintextHosts: config.PLAINTEXT_ALLOW_HOSTS,
  dnsServers: config.DNS_SERVERS,
});

runService({
  name: 'assistant',
  config,
  operations: assistantOperations,
  migrations: `${import.meta.dirname}/../migrations`,
  temporal: config,
  vault,
  checks: ({ database, systemDatabase }) => ({
    encryption_keys: credentialsCheck({ database, systemDatabase, vault }),
  }),
  build: ({ database, systemDatabase, rpc, relay, nats, log, metrics, tracing }) => {
    const prices = pricesWith?.(log);
    const starter = createTurnStarter({ systemDatabase, relay, log });
    return {
      handlers: createHandlers({
        ...{
          database,
          systemDatabase,
          rpc,
          relay,
          vault,
          egress,
          openModel: tracedModels(createModels({ vault, egress }), tracing),
          tracing,
          prices,
          isOff: config.AI_ANSWERS === 'off',
          onEmbedderCall: countEmbedderCalls(metrics),
          onModelCall: countModelCalls(metrics),
        },
      }),
      purge: purgeOffers,
      gauges: [overdueGauges(systemDatabase, [overdueTurns]), budgetGauges(systemDatabase)],
      jobs: [
        starter,
        overdueJob({ ...overdueTurns, systemDatabase, relay, log }),
        diedCallsJob({ database, systemDatabase, prices, log }),
      ],
      consumers: [
        consumeEvents({
          nats,
          log,
          name: 'assistant-turns',
          types: eventsOfTurns,
          revision: 2,
          handle: onTurnEvent({ database, starter }),
        }),
      ],
    };
  },
});
