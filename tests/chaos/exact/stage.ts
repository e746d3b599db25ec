import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connectCalendar,
  createApiKey,
  createStore,
  type Operation,
  type ReplyOf,
  type RequestOf,
} from '@mostrador/contracts';
import { entityWorkflows } from '@mostrador/contracts/workflows';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { type Child, createChildren, untilReady } from '@mostrador/local-platform/children';
import { localDirectory } from '@mostrador/local-platform/paths';
import { freePort, type Ports, portsFrom } from '@mostrador/local-platform/ports';
import { serviceSpec } from '@mostrador/local-platform/services';
import { silentLog } from '@mostrador/testing/context';
import { startRadicale } from '@mostrador/testing/providers/caldav/servers';
import { startTcpProxy, type TcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { keepLine } from '@mostrador/testing/recent-log';
import { createTestDatabase } from '@mostrador/testing/servers/database';
import { startTestNats } from '@mostrador/testing/servers/nats';
import { emptyNamespace, testTemporal } from '@mostrador/testing/servers/temporal';
import type { ProcessName as PlatformProcess } from '../../../packages/platform/src/processes.ts';
import { preload } from '../storm/preload.ts';

export type ProcessName = PlatformProcess | 'gateway-2' | 'scheduling-2' | 'workflows-2';

export type Stage = Awaited<ReturnType<typeof startStage>>;
export type Store = { readonly id: string; readonly key: string; readonly keyId: string };

const entityWorkflowQueues = Object.values(entityWorkflows)
  .map(({ taskQueue }) => taskQueue)
  .join(',');

type StageOptions = {
  /** Beside accounts, without which there is no store. */
  readonly processes: readonly ProcessName[];
  /** How long the gateway waits for an answer. Default: 8 s. */
  readonly requestTimeoutMs?: number;
  /** Whether the worker runs the schedules that close reports. */
  readonly schedules?: boolean;
  /** What else the processes read from their environment. */
  readonly environment?: NodeJS.ProcessEnv;
};

/** Starts the platform around scheduling, with a Radicale calendar behind a proxy. */
export async function startStage(options: StageOptions) {
  const [radicale, platform] = await Promise.all([
    startRadicale(),
    startPlatform({ ...options, service: 'scheduling' }),
  ]);
  const calendar = await startTcpProxy(new URL(radicale.collectionUrl).host);
  return {
    ...platform,
    radicale,
    proxies: {
      ...platform.proxies,
      /** scheduling → Radicale */
      calendar,
    },
    /** Creates a store with a key and, unless `calendar` is false, the Radicale calendar. */
    async newStore(settings: { calendar?: boolean } = {}): Promise<Store> {
      const store = await platform.newStore();
      if (settings.calendar ?? true) {
        const url = through(radicale.collectionUrl, calendar);
        const { username, password } = radicale;
        const body = { provider: 'caldav' as const, url, username, secrets: { password } };
        await platform.call(connectCalendar, { body }, store.id);
      }
      return store;
    },
    async stop() {
      await platform.stop();
      await calendar.close();
      await radicale.dispose();
    },
  };
}

const through = (url: string, proxy: TcpProxy) => Object.assign(new URL(url), { host: proxy.address }).href;

/**
 * Starts the platform's processes, as they run in production, on the test's own servers. The network links go through
 * proxies, so that a test can stop a conversation at an exact point and then kill a process there.
 */
export async function startPlatform(
  options: StageOptions & { readonly service: 'scheduling' | 'messaging' | 'events' | 'assistant' },
) {
  const folder = await mkdtemp(join(tmpdir(), 'mostrador-chaos-'));
  const [database, nats, temporal] = await Promise.all([
    createTestDatabase(options.service),
    startTestNats(),
    testTemporal(),
  ]);
  await emptyNamespace(temporal);
  const ways = {
    /** the service → PostgreSQL, for requests */
    database: new URL(database.url).host,
    /** the service → PostgreSQL, for the relay and the sweep */
    systemDatabase: new URL(database.url).host,
    /** the service → NATS */
    nats: new URL(nats.url).host,
    /** the service → Temporal */
    temporal: temporal.address,
    workflowsNats: new URL(nats.url).host,
    workflowsTemporal: temporal.address,
    crmNats: new URL(nats.url).host,
    /** messaging → PostgreSQL, for requests, where another service is tested */
    messagingDatabase: new URL(database.url).host,
    gatewayNats: new URL(nats.url).host,
    gatewayDatabase: new URL(database.url).host,
    gateway2Nats: new URL(nats.url).host,
    gateway2Database: new URL(database.url).host,
  };
  const proxies = Object.fromEntries(
    await Promise.all(Object.entries(ways).map(async ([name, target]) => [name, await startTcpProxy(target)])),
  ) as Record<keyof typeof ways, TcpProxy>;

  const children = createChildren(join(folder, 'children.json'));
  const running = new Map<ProcessName, Child>();
  const ports = new Map<ProcessName, number>();
  const password = decodeURIComponent(new URL(database.url).password);
  const encryptionKeys = `test:${randomBytes(32).toString('base64')}`;
  const roleUrl = (role: string, proxy: TcpProxy) =>
    Object.assign(new URL(through(database.url, proxy)), { username: role }).href;
  // A break is in the sources: `try-breaks.ts`.
  const { CHAOS_BREAK: broken, TEST_PROGRAMS } = process.env;
  const preloaded = broken === undefined ? [] : preload('broken-code.ts', { name: broken });
  // A scheduled run could be open while a test waits until no workflow is.
  const taskQueues = options.schedules ? {} : { TASK_QUEUES: entityWorkflowQueues };
  const environment: Partial<Record<ProcessName, NodeJS.ProcessEnv>> = {
    gateway: {
      NATS_URL: through(nats.url, proxies.gatewayNats),
      DATABASE_SYSTEM_URL: roleUrl('gateway_system', proxies.gatewayDatabase),
    },
    'gateway-2': {
      NATS_URL: through(nats.url, proxies.gateway2Nats),
      DATABASE_SYSTEM_URL: roleUrl('gateway_system', proxies.gateway2Database),
    },
    workflows: {
      NATS_URL: through(nats.url, proxies.workflowsNats),
      TEMPORAL_ADDRESS: proxies.workflowsTemporal.address,
      ...taskQueues,
    },
    'workflows-2': taskQueues,
    crm: { NATS_URL: through(nats.url, proxies.crmNats) },
    messaging: { DATABASE_URL: roleUrl('messaging', proxies.messagingDatabase) },
    [options.service]: {
      NATS_URL: through(nats.url, proxies.nats),
      TEMPORAL_ADDRESS: proxies.temporal.address,
      DATABASE_URL: roleUrl(options.service, proxies.database),
      DATABASE_SYSTEM_URL: roleUrl(`${options.service}_system`, proxies.systemDatabase),
    },
  };

  /** All roles of the test server have the same password, where those of a platform have their own. */
  const withTestPassword = (env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
    const own = (url: string) => Object.assign(new URL(url), { password: new URL(database.url).password }).href;
    const logins = Object.entries(env).filter(([name]) => /^DATABASE_(.*_)?URL$/.test(name));
    return { ...env, ...Object.fromEntries(logins.map(([name, url]) => [name, url && own(url)])) };
  };

  const specOf = async (name: ProcessName) => {
    const service = name.replace('-2', '') as PlatformProcess;
    const port = ports.get(name) ?? (await freePort());
    ports.set(name, port);
    const spec = serviceSpec(service, {
      databaseUrl: database.url,
      natsUrl: nats.url,
      temporalAddress: temporal.address,
      temporalUiUrl: '',
      // Only for its caches.
      localDirectory: localDirectory(process.env),
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TEMPORAL_NAMESPACE: temporal.namespace,
        // The receivers of webhooks are on this machine.
        WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
        REQUEST_TIMEOUT_MS: String(options.requestTimeoutMs ?? 8000),
        LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'warn',
        ...options.environment,
      },
      ports: { ...portsFrom(0), gatewayMetrics: 0, [service]: port } as Ports,
      password,
      encryptionKeys,
      shutdownTimeoutMs: 3000,
      programs: broken === undefined ? TEST_PROGRAMS : undefined,
    });
    return {
      ...spec,
      name,
      args: [...preloaded, ...spec.args],
      env: { ...withTestPassword(spec.env), ...environment[name] },
    };
  };

  const start = async (...names: ProcessName[]) => {
    await Promise.all(
      names.map(async (name) => {
        const spec = await specOf(name);
        const onLine = process.env.TEST_LOG_LEVEL ? (line: string) => console.log(name, line) : keepLine;
        const child = children.start(spec, onLine);
        running.set(name, child);
        await untilReady(spec, child);
      }),
    );
  };
  /** `kill -9` of all these at once. Resolves when they have exited. */
  const kill = async (...names: ProcessName[]) => {
    const victims = names.map((name) => childOf(name));
    for (const victim of victims) victim.kill();
    await Promise.all(victims.map((victim) => victim.exited));
  };
  const childOf = (name: ProcessName): Child => {
    const child = running.get(name);
    if (!child) throw new Error(`${name} was never started`);
    return child;
  };

  const rpc = createRpcClient({ nats: nats.nats, log: silentLog() });
  const call = <O extends Operation>(operation: O, request: RequestOf<O>, storeId?: string): Promise<ReplyOf<O>> =>
    rpc.call(operation, request, { requestId: randomUUID(), deadline: Date.now() + 30_000, storeId });

  await start('accounts', ...options.processes);
  return {
    database,
    nats,
    temporal,
    proxies,
    call,
    start,
    kill,
    /** Kills processes and starts them again, as a supervisor does. */
    restart: async (...names: ProcessName[]) => {
      await kill(...names);
      await start(...names);
    },
    /** Stops a process with SIGTERM and starts it again, as a deployment does. */
    replace: async (name: ProcessName) => {
      await childOf(name).stop(60_000);
      await start(name);
    },
    signal: (name: ProcessName, signal: NodeJS.Signals) => process.kill(childOf(name).pid, signal),
    url: (gateway: ProcessName = 'gateway') => `http://127.0.0.1:${ports.get(gateway)}/integrations/v1`,
    /** Creates a store with a key. */
    async newStore(): Promise<Store> {
      const store = await call(createStore, { body: { name: 'Padaria', tier: 'enterprise' } });
      const made = await call(createApiKey, { body: { store_id: store.id, name: 'test' } });
      return { id: store.id, key: made.api_key, keyId: made.key.id };
    },
    async stop() {
      await Promise.all([...running.values()].map((child) => child.stop(4000)));
      await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
      await Promise.all([nats.stop(), temporal.close(), database.drop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
