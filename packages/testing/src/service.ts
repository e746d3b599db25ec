import type { Operation } from '@mostrador/contracts/core';
import { connectTemporal } from '@mostrador/kit/clients/temporal';
import { createRelay, type Relay } from '@mostrador/kit/outbox/outbox';
import { createMetrics } from '@mostrador/kit/process/metrics';
import { createRpcClient, type RpcClient } from '@mostrador/kit/rpc/client';
import { ensureEventStream } from '@mostrador/kit/rpc/nats';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import type { ServiceDependencies, ServiceParts } from '@mostrador/kit/service/service';
import { silentLog } from './context.ts';
import { type FedEvent, feedOf } from './feed.ts';
import { createTestDatabase, type TestDatabase } from './servers/database.ts';
import { startTestNats, type TestNats } from './servers/nats.ts';
import { type TestTemporal, testTemporal } from './servers/temporal.ts';
import { waitFor } from './wait.ts';

export type TestServiceOptions<Ops extends Record<string, Operation>> = {
  readonly name: string;
  readonly operations: Ops;
  readonly build: (dependencies: ServiceDependencies) => ServiceParts<Ops>;
};

/** A service under test, with its own database and NATS server. */
export type TestService = TestDatabase & {
  readonly nats: TestNats;
  readonly temporal: TestTemporal;
  /** Calls over NATS, as the gateway and the workflows do. */
  readonly rpc: RpcClient;
  /** Not started. Until the test starts it, the entries stay in the outbox. */
  readonly relay: Relay;
  /** The public events of a store that wait for delivery, in order: `feedOf`. */
  feed(storeId: string): Promise<FedEvent[]>;
  stop(): Promise<void>;
};

/** Serves a service's operations over its own NATS server and database. It does not start the service's jobs. */
export async function startTestService<const Ops extends Record<string, Operation>>(
  options: TestServiceOptions<Ops>,
): Promise<TestService> {
  const { name, operations, build } = options;
  const log = silentLog();
  const [database, nats, temporal] = await Promise.all([createTestDatabase(name), startTestNats(), testTemporal()]);
  await waitFor(() => ensureEventStream(nats.nats).then(() => true), { description: 'the event stream exists' });
  const starter = connectTemporal({ address: temporal.address, namespace: temporal.namespace, log });
  const relay = createRelay({ database: database.systemDatabase, temporal: starter, nats: nats.nats, log });
  const rpc = createRpcClient({ nats: nats.nats, log });
  const metrics = createMetrics(name);
  const { handlers } = build({
    database: database.database,
    systemDatabase: database.systemDatabase,
    rpc,
    relay,
    nats: nats.nats,
    log,
    metrics,
  });
  const server = createRpcServer({ nats: nats.nats, service: name, operations, handlers, log });
  return {
    ...database,
    nats,
    temporal,
    rpc,
    relay,
    feed: (storeId) => feedOf(database.adminSql, storeId),
    async stop() {
      await server.drain();
      await relay.stop();
      await Promise.all([nats.stop(), starter.close(), temporal.close(), database.drop()]);
    },
  };
}
