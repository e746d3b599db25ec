import type { Operation } from '@mostrador/contracts/core';
import type { Static, TObject } from '@sinclair/typebox';
import { Gauge } from 'prom-client';
import { connectNats, ensureEventStream, type NatsConnection, natsAddress, pingNats } from '../clients/nats.ts';
import { connectTemporal } from '../clients/temporal.ts';
import { identityOf, temporalAddress } from '../clients/temporal-address.ts';
import { createDatabase, createSystemDatabase, type Database, type SystemDatabase } from '../database/database.ts';
import { purgeIdempotency } from '../delivery/idempotency.ts';
import { createRelay, type Relay } from '../delivery/outbox.ts';
import { createRpcClient, type RpcClient } from '../rpc/client.ts';
import { createRpcServer, type Handlers } from '../rpc/server.ts';
import type { serviceConfig } from './config.ts';
import { createHealth, serveHealth } from './health.ts';
import type { Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { type Periodic, periodically } from './periodic.ts';
import { type RunningProcess, run } from './run.ts';

/** The environment of a service that keeps data, as `serviceConfig` reads it. */
export type ServiceConfig = Static<TObject<typeof serviceConfig>>;

/** What a service is built from. */
export type ServiceDependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly rpc: RpcClient;
  readonly relay: Relay;
  readonly nats: NatsConnection;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** What a service is: a handler for each operation, and what it does by itself from time to time. */
export type ServiceParts<Ops extends Record<string, Operation>> = {
  readonly handlers: Handlers<Ops>;
  readonly jobs?: readonly Periodic[];
  /** What it does about the events of others. */
  readonly consumers?: readonly Periodic[];
};

export type ServiceOptions<Ops extends Record<string, Operation>> = {
  /** Also its schema, its runtime role and its queue group. */
  readonly name: string;
  readonly config: ServiceConfig;
  readonly operations: Ops;
  readonly build: (dependencies: ServiceDependencies) => ServiceParts<Ops>;
};

const purgeEveryMs = 10 * 60_000;

/**
 * The process of a service that keeps data: its schema has the outbox and the idempotency records (`packages/kit/sql`).
 * Health answers from the start, requests are taken once NATS is there, and all of it stops in the opposite order.
 */
export function runService<const Ops extends Record<string, Operation>>(options: ServiceOptions<Ops>): void {
  run(options.name, (running) => startService(options, running), { config: options.config });
}

async function startService<const Ops extends Record<string, Operation>>(
  { name, config, operations, build }: ServiceOptions<Ops>,
  { log, onStop }: RunningProcess,
): Promise<void> {
  const metrics = createMetrics(name);
  const { DATABASE_URL, DATABASE_POOL_SIZE, DATABASE_SYSTEM_URL, DATABASE_SYSTEM_POOL_SIZE } = config;
  const database = createDatabase({ url: DATABASE_URL, size: DATABASE_POOL_SIZE, log, name });
  const systemDatabase = createSystemDatabase({
    url: DATABASE_SYSTEM_URL,
    size: DATABASE_SYSTEM_POOL_SIZE,
    log,
    name: `${name} system`,
  });
  const temporal = connectTemporal({
    ...temporalAddress(config),
    namespace: config.TEMPORAL_NAMESPACE,
    identity: identityOf(name),
    log,
  });

  let nats: NatsConnection | undefined;
  const health = createHealth({
    required: {
      postgres: () => database.ping(),
      nats: async () => {
        if (!nats) throw new Error('not connected yet');
        await pingNats(nats);
      },
    },
    informative: { temporal: () => temporal.ping() },
    log,
  });
  const server = await serveHealth({ host: config.HEALTH_HOST, port: config.HEALTH_PORT, health, metrics });
  onStop('health', () => server.close());
  onStop('database', async () => void (await Promise.all([database.close(), systemDatabase.close()])));
  onStop('temporal', () => temporal.close());

  const connection = await connectNats({ ...natsAddress(config), name, log });
  onStop('nats', () => connection.close());
  // Without the stream only events wait; the relay makes it too, before it publishes again.
  await ensureEventStream(connection).catch((error) => log.warn({ err: error }, 'no event stream yet'));

  const relay = createRelay({ database: systemDatabase, temporal, nats: connection, log });
  const rpc = createRpcClient({ nats: connection, log });
  const {
    handlers,
    jobs = [],
    consumers = [],
  } = build({ database, systemDatabase, rpc, relay, nats: connection, log, metrics });
  exportGauges(metrics, { database, systemDatabase, relay });
  relay.start();
  onStop('relay', () => relay.stop());
  for (const job of [...jobs, purgeJob(systemDatabase, log)]) {
    job.start();
    onStop('job', () => job.stop());
  }
  for (const consumer of consumers) {
    consumer.start();
    onStop('events', () => consumer.stop());
  }
  const rpcServer = createRpcServer({ nats: connection, service: name, operations, handlers, log, metrics });
  onStop('requests', () => rpcServer.drain());
  onStop('readiness', async () => health.drain());
  // Ready means that requests are taken, so the server must know of the subscriptions first.
  await connection.flush();
  nats = connection;
}

function purgeJob(database: SystemDatabase, log: Log): Periodic {
  return periodically({
    name: 'purge of idempotency records',
    everyMs: purgeEveryMs,
    log,
    run: async (signal) => void (await purgeIdempotency(database, { signal })),
  });
}

type Measured = Pick<ServiceDependencies, 'database' | 'systemDatabase' | 'relay'>;

function exportGauges({ registry }: Metrics, { database, systemDatabase, relay }: Measured): void {
  new Gauge({
    name: 'mostrador_outbox_entries',
    help: 'Entries that wait to be told to Temporal or to the event stream.',
    registers: [registry],
    async collect() {
      // A scrape must not fail because PostgreSQL is away: then the number is not known.
      this.set(await relay.backlog().catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'mostrador_database_connections',
    help: 'Connections in use, and operations that wait for one.',
    labelNames: ['role', 'state'],
    registers: [registry],
    collect() {
      for (const [role, { stats }] of Object.entries({ store: database, system: systemDatabase })) {
        const { busy, waiting } = stats();
        this.set({ role, state: 'busy' }, busy);
        this.set({ role, state: 'waiting' }, waiting);
      }
    },
  });
}
