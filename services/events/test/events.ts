import { randomBytes } from 'node:crypto';
import { eventsOperations } from '@mostrador/contracts';
import { createVault } from '@mostrador/kit/clients/secrets';
import { startTestService } from '@mostrador/testing/service';
import { createListTotals } from '@mostrador/totals';
import type { Dependencies } from '../src/dependencies.ts';
import { eventsLists } from '../src/dependencies.ts';
import { notifyOver } from '../src/feed/notify.ts';
import { createHandlers } from '../src/handlers.ts';
import type { Outcome } from '../src/webhooks/sending/next-move.ts';
import { planLimits } from '../src/webhooks/sending/plan-deliveries.ts';
import { webhookAddresses, webhookJobs } from '../src/webhooks/webhook-jobs.ts';

export type EventsOptions = {
  /** Its clock. */
  readonly now?: () => Date;
  /** The limits of a webhook. Default: short ones. */
  readonly limits?: Partial<Dependencies['limits']>;
  /** `WEBHOOK_ALLOW_HOSTS`. Default: this machine. */
  readonly allowHosts?: string;
  /** `DNS_SERVERS`. Default: those of the system. */
  readonly dnsServers?: string;
};

/** Starts the whole service on its own test servers. Its jobs wait until the test starts them. */
export async function startEvents(options: EventsOptions = {}) {
  const { allowHosts = '127.0.0.1' } = options;
  const limits = { callMs: 5_000, leaseMs: 20_000, ...planLimits, ...options.limits };
  const outcomes: Outcome[] = [];
  let parts: ReturnType<typeof webhookJobs> | undefined;
  const service = await startTestService({
    name: 'events',
    operations: eventsOperations,
    build: ({ database, systemDatabase, nats, relay, log }) => {
      parts = webhookJobs(
        {
          database,
          systemDatabase,
          listTotals: createListTotals({ lists: eventsLists, database, systemDatabase, log }),
          notify: notifyOver(nats),
          ...(options.now === undefined ? {} : { now: options.now }),
          relay,
          vault: createVault(`test:${randomBytes(32).toString('base64')}`),
          ...webhookAddresses(allowHosts, options.dnsServers),
          limits,
          onAttempt: (outcome) => void outcomes.push(outcome),
        },
        { nats, log, relay },
      );
      return { handlers: createHandlers(parts.dependencies) };
    },
  });
  const { dependencies, jobs } = parts as NonNullable<typeof parts>;
  const [sender] = jobs;
  return {
    ...service,
    dependencies,
    /** The results of the attempts, in the order in which they ended. */
    outcomes,
    /** Starts the loop that plans and sends. */
    startSender: () => sender?.start(),
    stopSender: async () => await sender?.stop(),
    async stop() {
      await sender?.stop();
      await service.stop();
    },
  };
}

export type TestEvents = Awaited<ReturnType<typeof startEvents>>;
