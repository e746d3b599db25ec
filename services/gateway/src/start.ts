import { setTimeout as pause } from 'node:timers/promises';
import { createSystemDatabase, type Sql } from '@mostrador/kit/database/database';
import { databaseCheck, readsCheck, rolesCheck, sessionsCheck } from '@mostrador/kit/database/readiness';
import { tracedDatabase } from '@mostrador/kit/database/traced-database';
import { exportCertificates } from '@mostrador/kit/process/certificates';
import { watchClock } from '@mostrador/kit/process/clock';
import { createHealth, type ReadinessWatch, watchReadiness } from '@mostrador/kit/process/health';
import { exportHealth, serveHealth } from '@mostrador/kit/process/health-server';
import { createMetrics } from '@mostrador/kit/process/metrics';
import type { RunningProcess } from '@mostrador/kit/process/run';
import { createRpcClient, type RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { connectNats, type NatsConnection, natsAddress, natsCheck, natsUserCheck } from '@mostrador/kit/rpc/nats';
import { answerRollCall } from '@mostrador/kit/rpc/roll-call';
import { exportConnections } from '@mostrador/kit/service/service-metrics';
import { findChangedAccess } from './access/access.repository.ts';
import { createAccess } from './access/create-access.ts';
import { createKeyUsage, reportUsesOver } from './access/key-usage.ts';
import { hearAccessNotices } from './access/notices.ts';
import { createApp } from './app.ts';
import type { GatewayConfig } from './config.ts';
import { createFollowers } from './events/followers.ts';
import { hearFeedNotices } from './events/notices.ts';
import { withOwnOperations } from './own-operations.ts';
import { noStore, servicePresence } from './service-presence.ts';
import { readStore } from './stores/store.repository.ts';

/**
 * Starts the gateway. HTTP starts first, so that probes work before NATS and PostgreSQL are reachable. Until then the
 * gateway rejects requests with `service_unavailable`.
 */
export async function startGateway(config: GatewayConfig, { log, tracing, onStop }: RunningProcess): Promise<void> {
  const name = 'gateway';
  const metrics = createMetrics(name);
  let watch: ReadinessWatch | undefined;
  const onFault = () => watch?.doubt();
  const system = { log, lifetimeMs: config.DATABASE_CONNECTION_LIFETIME_MS, url: config.DATABASE_SYSTEM_URL, onFault };
  const pool = createSystemDatabase({ ...system, size: config.DATABASE_SYSTEM_POOL_SIZE, name: `${name} system` });
  const lookUps = tracedDatabase(pool, tracing, 'system');
  const polls = createSystemDatabase({ ...system, size: 1, name: `${name} poll` });

  let connection: { nats: NatsConnection; rpc: RpcClient } | undefined;
  const connected = () => {
    if (!connection) throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
    return connection;
  };
  const services: RpcClient = {
    call: async (...call) => await connected().rpc.call(...call),
    forward: async (...call) => await connected().rpc.forward(...call),
  };
  const clock = watchClock(polls);
  const presence = servicePresence(services);
  const health = createHealth({
    // Unknown keys can fill the connections for look-ups. The one for polls also decides whether keys can be trusted.
    required: {
      postgres_system: databaseCheck(polls, 'DATABASE_SYSTEM_URL'),
      postgres_roles: rolesCheck({ systemDatabase: polls }, name),
      postgres_sessions: sessionsCheck({ DATABASE_SYSTEM_URL: config.DATABASE_SYSTEM_URL }, name),
      clock: clock.check,
      // Over the connections of requests, so that the first request finds one open.
      accounts_schema: readsCheck(lookUps, { schema: 'accounts', read: readsOf }),
      nats: natsCheck(() => connection?.nats),
      nats_user: natsUserCheck(() => connection?.nats, name, { serves: false }),
    },
    informative: presence,
    // The gateway asks the services over NATS.
    behind: {
      ...Object.fromEntries(Object.keys(presence).map((service) => [service, 'nats'])),
      postgres_roles: 'postgres_system',
    },
    failuresUntilUnready: 3,
    log,
  });
  clock.exportTo(metrics);
  exportHealth(metrics, health);
  exportCertificates(metrics, config);
  exportConnections(metrics, { system: pool });
  const directory = createAccess({ lookUps, polls, log });
  const usage = createKeyUsage({ write: reportUsesOver(services), log });
  const followers = createFollowers({ log });
  const app = await createApp({
    directory,
    usage,
    rpc: withOwnOperations({ lookUps, rpc: services, workflowsUrl: workflowsUrlOf(config) }),
    followers,
    health,
    metrics,
    log,
    tracing,
    settings: {
      publicUrl: config.PUBLIC_URL,
      contactUrl: config.CONTACT_URL,
      trustedProxies: config.TRUSTED_PROXIES,
      trustTraceparent: config.TRUST_TRACEPARENT,
      corsOrigins: config.CORS_ORIGINS,
      docs: config.DOCS,
      consoleDirectory: config.CONSOLE_DIRECTORY,
      exampleIdsFile: config.EXAMPLE_IDS_FILE,
      requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
      maximumConnections: config.MAX_CONNECTIONS,
      sandboxWritesPerMinute: config.SANDBOX_WRITES_PER_MINUTE,
      connectionTimeoutMs: config.CONNECTION_TIMEOUT_MS,
    },
  });

  const { warnings } = app;
  const watched = await serveHealth({
    ...{ host: config.HEALTH_HOST, metricsPort: config.METRICS_PORT },
    ...{ health, metrics, warnings },
  });
  watch = watchReadiness(health, log);
  // The process stops these in reverse order.
  onStop('metrics', () => watched.close());
  onStop('databases', async () => void (await Promise.all([lookUps, polls].map((each) => each.close()))));
  onStop('nats', async () => await connection?.nats.close());
  onStop('key usage', () => usage.stop());
  onStop('access directory', () => directory.stop());
  onStop('requests over HTTP', async () => await app.close());
  onStop('readiness', async () => {
    health.drain();
    await watch?.stop();
    await pause(config.DRAIN_DELAY_MS);
  });

  await app.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${config.HTTP_PORT} is taken; set HTTP_PORT to another port`, { cause: error });
  });
  await directory.start();
  usage.start();

  const nats = await connectNats({ ...natsAddress(config), name, log });
  connection = { nats, rpc: createRpcClient({ nats, log, tracing }) };
  answerRollCall(nats, log, { process: name, health, warnings });
  hearAccessNotices(nats, directory);
  hearFeedNotices(nats, followers, log);
  watch.start();
}

/** All that the gateway reads in the schema of accounts. */
const readsOf = (sql: Sql) => Promise.all([findChangedAccess(sql, 0, 1), readStore(sql, noStore)]);

/** Where Temporal's UI shows the workflows of the platform. */
const workflowsUrlOf = ({ TEMPORAL_UI_URL: ui, TEMPORAL_NAMESPACE: namespace }: GatewayConfig): string | null =>
  ui === undefined ? null : `${ui.replace(/\/+$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows`;
