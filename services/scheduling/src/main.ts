import { schedulingOperations } from '@mostrador/contracts';
import { createVault } from '@mostrador/kit/clients/secrets';
import { consumeEvents } from '@mostrador/kit/delivery/events-consumer';
import { loadConfig } from '@mostrador/kit/process/config';
import { periodically } from '@mostrador/kit/process/periodic';
import { runService } from '@mostrador/kit/process/service';
import { createCalendarGate } from './calendars/calendar-circuit.ts';
import { createProviders } from './calendars/providers.ts';
import { sweepOverdue } from './calendar-sync/wake-overdue.ts';
import { schedulingConfig } from './config.ts';
import { messagingEvents, onMessagingEvent } from './followups/on-messaging-event.ts';
import { sweepOverdueFollowups } from './followups/wake-overdue.ts';
import { handlers } from './handlers.ts';

const config = loadConfig(schedulingConfig);

runService({
  name: 'scheduling',
  config,
  operations: schedulingOperations,
  build: ({ database, systemDatabase, rpc, relay, nats, log }) => ({
    handlers: handlers({
      database,
      systemDatabase,
      rpc,
      relay,
      vault: createVault(config.ENCRYPTION_KEYS),
      openProvider: createProviders(),
      gate: createCalendarGate(),
      publicUrl: config.PUBLIC_URL,
    }),
    jobs: [
      periodically({
        name: 'overdue calendar syncs',
        everyMs: 10_000,
        log,
        run: async (signal) => {
          const woken = await sweepOverdue({ systemDatabase, relay }, signal);
          if (woken > 0) log.warn({ woken }, 'workflows that had missed their time were woken');
        },
      }),
      periodically({
        name: 'overdue follow-ups',
        everyMs: 10_000,
        log,
        run: async (signal) => {
          const woken = await sweepOverdueFollowups({ systemDatabase, relay }, signal);
          if (woken > 0) log.warn({ woken }, 'follow-ups that had missed their time were woken');
        },
      }),
    ],
    consumers: [
      consumeEvents({
        nats,
        log,
        name: 'scheduling-followups',
        types: messagingEvents,
        handle: onMessagingEvent({ database, relay }),
      }),
    ],
  }),
});
