import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  connectCalendar,
  createApiKey,
  createLead,
  createStore,
  type Operation,
  type ReplyOf,
  type RequestOf,
} from '@mostrador/contracts';
import { createLog } from '@mostrador/kit/log';
import { connectNats } from '@mostrador/kit/nats';
import { createRpcClient } from '@mostrador/kit/rpc-client';
import { waitFor } from '@mostrador/kit/testing/wait';
import { createChildren } from '../../../infra/local/children.ts';
import { localDirectory, root } from '../../../infra/local/paths.ts';
import { freeBase, portsFrom } from '../../../infra/local/ports.ts';
import { isRunning, type ProcessIdentity } from '../../../infra/local/process-identity.ts';
import { processNames } from '../../../infra/local/services.ts';
import { startRadicale } from '../../../services/scheduling/test/caldav-servers.ts';
import { startServers } from './servers.ts';

export type ProcessName = (typeof processNames)[number];
export type ChaosStore = {
  readonly id: string;
  readonly key: string;
  readonly leadId: string;
  readonly calendar: 'feed' | 'caldav';
  readonly feedUrl: string | null;
};

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Shorter than in life, so that more happens in a minute. */
export const requestTimeoutMs = 4_000;
const upWithinMs = 120_000;
const stoppedWithinMs = 20_000;

/**
 * The whole platform as `npm start` runs it, on servers that this program holds in its hand. Its supervisor starts again
 * whatever of its processes is killed.
 */
export async function startPlatform() {
  const folder = join(localDirectory(process.env), 'chaos', String(process.pid));
  mkdirSync(folder, { recursive: true });
  const [servers, radicale] = await Promise.all([
    startServers(folder, createChildren(join(folder, 'servers.json'))),
    startRadicale(),
  ]);
  const base = await freeBase(folder);
  const output = openSync(join(folder, 'npm-start.log'), 'a');
  const supervisor = spawn(process.execPath, [join(root, 'infra/local/dev.ts')], {
    cwd: root,
    env: {
      ...process.env,
      LOCAL_DIR: folder,
      MOSTRADOR_PORT: String(base),
      MOSTRADOR_BASE_PORT: String(base),
      MOSTRADOR_DEMO: 'off',
      POSTGRES_URL: servers.postgresUrl,
      NATS_URL: servers.natsUrl,
      TEMPORAL_ADDRESS: servers.temporalAddress,
      REQUEST_TIMEOUT_MS: String(requestTimeoutMs),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);

  const ports = portsFrom(base);
  const isReady = async (name: ProcessName) => (await fetch(`http://127.0.0.1:${ports[name]}/readyz`)).ok;
  /** The platform's processes that run at this moment. */
  const processes = (): (ProcessIdentity & { name: ProcessName })[] =>
    JSON.parse(readFileSync(join(folder, 'children.json'), 'utf8'));
  const untilReady = (limitMs: number) =>
    waitFor(async () => (await Promise.all(processNames.map(isReady))).every(Boolean), {
      description: 'every process is ready',
      timeoutMs: limitMs,
      intervalMs: 100,
    });
  await waitFor(
    () => {
      if (supervisor.exitCode !== null) throw new Error(`it ended, see ${folder}/npm-start.log`);
      return JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8'));
    },
    { description: 'the platform is up', timeoutMs: upWithinMs, intervalMs: 100 },
  );

  return {
    folder,
    servers,
    radicale,
    baseUrl: `http://127.0.0.1:${ports.gateway}/integrations/v1`,
    databaseUrl: Object.assign(new URL(servers.postgresUrl), { pathname: '/mostrador' }).href,
    untilReady,
    /** `kill -9`, at one moment. Whatever is just being started again is left out. */
    kill(names: readonly ProcessName[]) {
      for (const running of processes()) {
        if (names.includes(running.name) && isRunning(running)) process.kill(running.pid, 'SIGKILL');
      }
    },
    async stop() {
      const ended = new Promise<void>((resolve) => supervisor.once('exit', () => resolve()));
      if (supervisor.exitCode === null) {
        supervisor.kill('SIGINT');
        const timer = setTimeout(() => supervisor.kill('SIGKILL'), stoppedWithinMs);
        await ended;
        clearTimeout(timer);
      }
      const { postgres, nats, temporal } = servers;
      for (const server of [postgres, nats, temporal]) server.goOn();
      await Promise.all([postgres.stop(), nats.stop(), temporal.stop(), radicale.dispose()]);
    },
    /** Its data and its logs. */
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Stores with a lead, a key and a calendar each: feeds, and one store whose calendar Radicale serves. */
export async function createStores({ servers, radicale }: Platform, feeds: number): Promise<ChaosStore[]> {
  const log = createLog({ service: 'chaos', level: 'silent', format: 'json' });
  const nats = await connectNats({ url: servers.natsUrl, name: 'chaos', log });
  const rpc = createRpcClient({ nats, log });
  const call = <O extends Operation>(operation: O, request: RequestOf<O>, storeId?: string): Promise<ReplyOf<O>> =>
    rpc.call(operation, request, { requestId: randomUUID(), deadline: Date.now() + 15_000, storeId });
  const create = async (calendar: 'feed' | 'caldav'): Promise<ChaosStore> => {
    const store = await call(createStore, { body: { name: `Chaos ${calendar}`, tier: 'enterprise' } });
    const made = await call(createApiKey, { body: { store_id: store.id, name: 'chaos' } });
    const lead = { name: 'Ana', customer_phone: '5511900000001' };
    const { id: leadId } = await call(createLead, { body: lead }, store.id);
    const { collectionUrl: url, username, password } = radicale;
    const body =
      calendar === 'feed'
        ? { provider: calendar }
        : { provider: calendar, url, username: username as string, secrets: { password: password as string } };
    const { feed_url } = await call(connectCalendar, { body }, store.id);
    return { id: store.id, key: made.api_key, leadId, calendar, feedUrl: feed_url };
  };
  try {
    return await Promise.all([create('caldav'), ...Array.from({ length: feeds }, () => create('feed'))]);
  } finally {
    await nats.close();
  }
}
