import { accessChangedSubject, type Operation } from '@mostrador/contracts';
import { createSystemDatabase, type SystemDatabase } from '@mostrador/kit/database/database';
import { createHealth } from '@mostrador/kit/process/health';
import { createMetrics } from '@mostrador/kit/process/metrics';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { pingNats } from '@mostrador/kit/rpc/nats';
import { createRpcServer, type Handlers } from '@mostrador/kit/rpc/server';
import { silentLog } from '@mostrador/testing/context';
import { startTcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { createTestDatabase } from '@mostrador/testing/servers/database';
import { startTestNats } from '@mostrador/testing/servers/nats';
import { createAccess } from '../src/access/create-access.ts';
import { createKeyUsage, reportUsesOver } from '../src/access/key-usage.ts';
import { hearAccessNotices } from '../src/access/notices.ts';
import { createApp } from '../src/app.ts';
import { createFollowers } from '../src/events/followers.ts';
import { hearFeedNotices } from '../src/events/notices.ts';
import { withOwnOperations } from '../src/own-operations.ts';
import { servicePresence } from '../src/service-presence.ts';
import { createStoreRows } from './stores.ts';

export const workflowsUrl = 'http://127.0.0.1:8233/namespaces/default/workflows';
export const publicUrl = 'https://api.example.com';

export type GatewayOptions = {
  readonly publicUrl?: string;
  readonly corsOrigins?: string;
  readonly docs?: boolean;
  readonly consoleDirectory?: string;
  readonly requestTimeoutMs?: number;
  readonly arrivalTimeoutMs?: number;
  readonly webhookBytes?: number;
  readonly maximumConnections?: number;
  readonly connectionTimeoutMs?: number;
};

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

/**
 * Starts the real gateway on its own PostgreSQL and NATS. Reads of keys and stores go through the proxy `toDatabase`,
 * which a test can cut. Stores and keys are rows that the test writes as accounts does. While `announcing.on` is false,
 * their changes send no notice, so that only polls find them.
 */
export async function startTestGateway(options: GatewayOptions = {}) {
  const log = silentLog();
  const [database, nats] = await Promise.all([createTestDatabase('gateway'), startTestNats()]);
  const systemUrl = new URL(database.systemUrl);
  const toDatabase = await startTcpProxy(systemUrl.host);
  systemUrl.host = toDatabase.address;
  const connectSystem = (name: string): SystemDatabase =>
    createSystemDatabase({ url: systemUrl.href, size: 1, log, name });
  const [lookUps, polls] = [connectSystem('look-ups'), connectSystem('polls')];

  const rpc = createRpcClient({ nats: nats.nats, log });
  const metrics = createMetrics('gateway');
  const directory = createAccess({ lookUps, polls, log });
  const usage = createKeyUsage({ write: reportUsesOver(rpc), log });
  const health = createHealth({
    required: { postgres: () => polls.ping(), nats: () => pingNats(nats.nats) },
    informative: servicePresence(rpc),
    cacheMs: 0,
  });
  const followers = createFollowers({ log });
  const app = await createApp({
    directory,
    usage,
    rpc: withOwnOperations({ lookUps, rpc, workflowsUrl }),
    followers,
    health,
    metrics,
    log,
    settings: {
      publicUrl,
      requestTimeoutMs: 30_000,
      maximumConnections: 2000,
      connectionTimeoutMs: 30_000,
      ...options,
    },
  });
  const announcing = { on: true };
  hearAccessNotices(nats.nats, directory);
  hearFeedNotices(nats.nats, followers, log);
  const others: { drain(): Promise<void> }[] = [];
  await directory.start();

  const stores = createStoreRows(database.adminSql, () => {
    if (announcing.on) nats.nats.publish(accessChangedSubject);
  });

  return {
    app,
    database,
    nats,
    rpc,
    health,
    metrics,
    followers,
    lookUps,
    directory,
    usage,
    toDatabase,
    announcing,
    ...stores,
    /** Serves operations like another service. */
    async serve<const Ops extends Record<string, Operation>>(
      service: string,
      operations: Ops,
      handlers: Handlers<Ops>,
    ) {
      others.push(createRpcServer({ nats: nats.nats, service, operations, handlers, log }));
      await nats.nats.flush();
    },
    async stop() {
      await app.close();
      await Promise.all(others.map((each) => each.drain()));
      await directory.stop();
      await usage.stop();
      await Promise.all([lookUps.close(), polls.close()]);
      await toDatabase.close();
      await nats.stop();
      await database.drop();
    },
  };
}
