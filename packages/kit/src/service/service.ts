import type { Operation } from '@mostrador/contracts/core';
import type { Static, TObject } from '@sinclair/typebox';
import type { Vault } from '../clients/secrets.ts';
import type { Temporal } from '../clients/temporal.ts';
import { identityOf, temporalAddress } from '../clients/temporal-address.ts';
import { createDatabase, createSystemDatabase, type Database, type SystemDatabase } from '../database/database.ts';
import { leadership } from '../database/leadership.repository.ts';
import { databaseCheck, rolesCheck, schemaCheck, sessionsCheck } from '../database/readiness.ts';
import { tracedDatabase } from '../database/traced-database.ts';
import { purgeIdempotency } from '../idempotency/idempotency.ts';
import { createRelay, type Relay } from '../outbox/outbox.ts';
import { exportCertificates } from '../process/certificates.ts';
import { watchClock } from '../process/clock.ts';
import type { serviceConfig, temporalConfig } from '../process/config.ts';
import { type Check, createHealth, type ReadinessWatch, untilPassed, watchReadiness } from '../process/health.ts';
import { exportHealth, serveHealth } from '../process/health-server.ts';
import { exportOnLeader, type LeaderGauges } from '../process/leader-gauges.ts';
import type { Log } from '../process/log.ts';
import { createMetrics, type Metrics } from '../process/metrics.ts';
import { type Periodic, periodically } from '../process/periodic.ts';
import { type RunningProcess, run } from '../process/run.ts';
import type { Tracing } from '../process/tracing.ts';
import { createRpcClient, type RpcClient } from '../rpc/client.ts';
import {
  connectNats,
  ensureEventStream,
  type NatsConnection,
  natsAddress,
  natsCheck,
  natsUserCheck,
} from '../rpc/nats.ts';
import { answerRollCall } from '../rpc/roll-call.ts';
import { createRpcServer, type Handlers, type RpcServer } from '../rpc/server.ts';
import { exportConnections, relayGauges } from './service-metrics.ts';
import { watchTaskQueues } from './task-queues.ts';

/** The environment of a service with a database, as `serviceConfig` reads it. */
export type ServiceConfig = Static<TObject<typeof serviceConfig>>;
type TemporalConfig = Static<TObject<typeof temporalConfig>>;

/** What `build` receives. */
export type ServiceDependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly rpc: RpcClient;
  readonly relay: Relay;
  readonly nats: NatsConnection;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Undefined: the process makes no traces. */
  readonly tracing?: Tracing | undefined;
};

/** The parts of a service: a handler for each operation, periodic jobs and event consumers. */
export type ServiceParts<Ops extends Record<string, Operation>> = {
  readonly handlers: Handlers<Ops>;
  readonly jobs?: readonly Periodic[];
  /** Consumers of events of other services. */
  readonly consumers?: readonly Periodic[];
  /** Gauges about the rows of all stores. */
  readonly gauges?: readonly LeaderGauges[];
  /** Deletes rows that are out of date. Runs with the purge of idempotency records. */
  readonly purge?: (database: SystemDatabase) => Promise<void>;
};

export type ServiceOptions<Ops extends Record<string, Operation>> = {
  /** Also the name of its schema, its runtime role and its queue group. */
  readonly name: string;
  readonly config: ServiceConfig;
  readonly operations: Ops;
  /** The folder of its migrations. The process is ready when they are applied. */
  readonly migrations: string;
  /** For a service that starts workflows: without a usable namespace of Temporal the process is not ready. */
  readonly temporal?: TemporalConfig;
  /** The task queues whose workers it watches. It needs `temporal`, and its NATS user hears the workers' notices. */
  readonly watchedTaskQueues?: readonly string[];
  /** For a service that stores credentials: operators see which keys each process has. */
  readonly vault?: Pick<Vault, 'keys'>;
  /**
   * The service has events: it uses the event stream, and its relay delivers the public events of its table
   * `feed_entries` to the events service. Default true.
   */
  readonly publishesEvents?: boolean;
  /** Further checks that it is ready. */
  readonly checks?: (dependencies: Pick<ServiceDependencies, 'database' | 'systemDatabase'>) => Record<string, Check>;
  readonly build: (dependencies: ServiceDependencies) => ServiceParts<Ops>;
};

const purgeEveryMs = 10 * 60_000;

/**
 * Runs a service with a database, whose schema has the outbox and the idempotency records (`packages/kit/sql`). It
 * serves its health from the start, and requests once NATS is connected. Its parts stop in reverse order.
 */
export function runService<const Ops extends Record<string, Operation>>(options: ServiceOptions<Ops>): void {
  run(options.name, (running) => startService(options, running), { config: options.config });
}

async function startService<const Ops extends Record<string, Operation>>(
  options: ServiceOptions<Ops>,
  { log, tracing, onStop }: RunningProcess,
): Promise<void> {
  const {
    name,
    config,
    operations,
    migrations,
    publishesEvents = true,
    watchedTaskQueues = [],
    checks,
    build,
  } = options;
  const metrics = createMetrics(name);
  const { DATABASE_URL, DATABASE_POOL_SIZE, DATABASE_SYSTEM_URL, DATABASE_SYSTEM_POOL_SIZE } = config;
  let watch: ReadinessWatch | undefined;
  const onFault = () => watch?.doubt();
  const shared = { log, lifetimeMs: config.DATABASE_CONNECTION_LIFETIME_MS, onFault };
  const pool = createDatabase({ ...shared, url: DATABASE_URL, size: DATABASE_POOL_SIZE, name });
  const systemPool = createSystemDatabase({
    ...shared,
    url: DATABASE_SYSTEM_URL,
    size: DATABASE_SYSTEM_POOL_SIZE,
    name: `${name} system`,
  });
  const database = tracedDatabase(pool, tracing, 'store');
  const systemDatabase = tracedDatabase(systemPool, tracing, 'system');
  // Requests can fill their pool, so the checks have a connection of their own.
  const checked = createDatabase({ ...shared, url: DATABASE_URL, size: 1, name: `${name} readiness` });
  const temporal = options.temporal && (await openTemporal(options.temporal, { name, log, tracing }));

  const clock = watchClock(checked);
  let nats: NatsConnection | undefined;
  let rpcServer: RpcServer | undefined;
  const health = createHealth({
    required: {
      postgres: databaseCheck(checked, 'DATABASE_URL'),
      postgres_system: databaseCheck(systemDatabase, 'DATABASE_SYSTEM_URL', { shared: true }),
      postgres_roles: rolesCheck({ database: checked, systemDatabase }, name),
      postgres_sessions: sessionsCheck({ DATABASE_URL, DATABASE_SYSTEM_URL }, name),
      clock: clock.check,
      schema: schemaCheck(systemDatabase, { schema: name, directory: migrations }),
      nats: natsCheck(() => nats),
      nats_user: natsUserCheck(() => nats, name),
      ...(temporal && { temporal_namespace: untilPassed(temporal.checkNamespace) }),
      ...checks?.({ database, systemDatabase }),
    },
    informative: temporal && { temporal: temporal.ping },
    behind: { postgres_roles: 'postgres' },
    failuresUntilUnready: 3,
    onReadiness: async (ready) => await (ready ? rpcServer?.join() : rpcServer?.leave()),
    log,
  });
  exportHealth(metrics, health);
  exportCertificates(metrics, config);
  clock.exportTo(metrics);
  exportConnections(metrics, { store: pool, system: systemPool });
  const healthServer = await serveHealth({
    ...{ host: config.HEALTH_HOST, port: config.HEALTH_PORT, metricsPort: config.METRICS_PORT },
    ...{ health, metrics },
  });
  onStop('health', () => healthServer.close());
  onStop('database', async () => {
    await Promise.all([database, systemDatabase, checked].map((each) => each.close()));
  });
  if (temporal) onStop('temporal', () => temporal.close());

  const connection = await connectNats({ ...natsAddress(config), name, log });
  onStop('nats', () => connection.close());
  answerRollCall(connection, log, { process: name, health, keys: options.vault?.keys });
  // Without the stream only events wait. The relay also creates it, before it publishes again.
  if (publishesEvents) {
    await ensureEventStream(connection).catch((error) => log.warn({ err: error }, 'the event stream was not created'));
  }

  const rpc = createRpcClient({ nats: connection, log, tracing });
  const feed = publishesEvents ? rpc : undefined;
  const relay = createRelay({ database: systemDatabase, temporal, nats: connection, feed, log, tracing });
  const {
    handlers,
    jobs = [],
    consumers = [],
    gauges = [],
    purge,
  } = build({ database, systemDatabase, rpc, relay, nats: connection, log, metrics, tracing });
  const onLeader = exportOnLeader({
    metrics,
    groups: [
      ...relayGauges(relay, publishesEvents),
      ...gauges,
      ...(temporal && watchedTaskQueues.length > 0
        ? [watchTaskQueues({ taskQueues: watchedTaskQueues, nats: connection, temporal, log })]
        : []),
    ],
    leads: leadership(checked, name),
    log,
  });
  // A service without workflows and events writes no outbox entries.
  if (temporal || publishesEvents) {
    relay.start();
    onStop('relay', () => relay.stop());
  }
  for (const job of [...jobs, onLeader, purgeJob(systemDatabase, log, purge)]) {
    job.start();
    onStop('job', () => job.stop());
  }
  for (const consumer of consumers) {
    consumer.start();
    onStop('events', () => consumer.stop());
  }
  const server = createRpcServer({
    nats: connection,
    service: name,
    operations,
    handlers,
    log,
    metrics,
    tracing,
    joined: false,
  });
  rpcServer = server;
  nats = connection;
  watch = watchReadiness(health, log);
  watch.start();
  onStop('requests', () => server.drain());
  onStop('readiness', async () => {
    health.drain();
    await watch?.stop();
  });
}

/** Loads Temporal's client only where it is needed: it takes 20 MB. */
async function openTemporal(
  config: TemporalConfig,
  { name, ...shared }: { name: string; log: Log; tracing: Tracing | undefined },
): Promise<Temporal> {
  const { connectTemporal } = await import('../clients/temporal.ts');
  const address = temporalAddress(config);
  return connectTemporal({ ...address, namespace: config.TEMPORAL_NAMESPACE, identity: identityOf(name), ...shared });
}

function purgeJob(database: SystemDatabase, log: Log, purge?: (database: SystemDatabase) => Promise<void>): Periodic {
  return periodically({
    name: 'purge of idempotency records',
    everyMs: purgeEveryMs,
    log,
    run: async (signal) => {
      await purgeIdempotency(database, { signal });
      await purge?.(database);
    },
  });
}
