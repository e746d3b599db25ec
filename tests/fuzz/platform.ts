import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createApiKey, createStore, type Operation, type ReplyOf, type RequestOf } from '@mostrador/contracts';
import { connectNats, type NatsConnection } from '@mostrador/kit/clients/nats';
import { createLog } from '@mostrador/kit/process/log';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { waitFor } from '@mostrador/testing/wait';
import { localDirectory, root } from '../../infra/local/paths.ts';
import { freeBase, portsFrom } from '../../infra/local/ports.ts';
import { identify } from '../../infra/local/process-identity.ts';
import { natsUrlOf, readSecrets } from '../../infra/local/secrets.ts';
import { processNames } from '../../infra/local/services.ts';
import type { NatsUser } from '../../infra/nats/users.ts';

export type ProcessName = (typeof processNames)[number];
export type Memory = { heapUsed: number; external: number; rss: number };
export type FuzzPlatform = Awaited<ReturnType<typeof startFuzzPlatform>>;

export type InsideCall = <O extends Operation>(
  operation: O,
  request: RequestOf<O>,
  storeId?: string,
) => Promise<ReplyOf<O>>;

const upWithinMs = 180_000;
const stoppedWithinMs = 20_000;

/** What `npm start` writes when it is up. */
type Dev = { base_url: string; nats_url: string; database_url: string };

/** The platform as `npm start` runs it, in a folder of its own, with processes that tell their memory when asked. */
export async function startFuzzPlatform() {
  const runs = join(localDirectory(process.env), 'fuzz');
  mkdirSync(runs, { recursive: true });
  for (const name of readdirSync(runs)) {
    if (!identify(Number(name))) rmSync(join(runs, name), { recursive: true, force: true });
  }
  const folder = join(runs, String(process.pid));
  mkdirSync(folder, { recursive: true });
  const base = await freeBase(folder);
  const log = openSync(join(folder, 'npm-start.log'), 'a');
  const supervisor = spawn(process.execPath, [join(root, 'infra/local/dev.ts')], {
    cwd: root,
    env: {
      ...process.env,
      LOCAL_DIR: folder,
      MOSTRADOR_PORT: String(base),
      MOSTRADOR_BASE_PORT: String(base),
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'heap-on-signal.ts')).href}`,
      FUZZ_HEAP_FOLDER: folder,
    },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const dev: Dev = await waitFor(
    () => {
      if (supervisor.exitCode !== null) throw new Error(`it ended, see ${folder}/npm-start.log`);
      return JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8'));
    },
    { description: 'the platform is up', timeoutMs: upWithinMs, intervalMs: 100 },
  );
  const pidOf = (name: ProcessName): number => {
    const children: { name: string; pid: number }[] = JSON.parse(readFileSync(join(folder, 'children.json'), 'utf8'));
    return children.find((child) => child.name === name)?.pid ?? 0;
  };
  const pids = () => Object.fromEntries(processNames.map((name) => [name, pidOf(name)])) as Record<ProcessName, number>;
  const { postgresPassword } = readSecrets(folder);
  const silent = createLog({ service: 'fuzz', level: 'silent', format: 'json' });
  const connectAs = (user: NatsUser): Promise<NatsConnection> =>
    connectNats({ url: natsUrlOf(user, dev.nats_url, postgresPassword), name: 'fuzz', log: silent });
  /** Works with a client of the platform's inside, as the admin command does. */
  const inside = async <T>(work: (call: InsideCall) => Promise<T>): Promise<T> => {
    const nats = await connectAs('admin');
    const rpc = createRpcClient({ nats, log: silent });
    try {
      return await work((operation, request, storeId) =>
        rpc.call(operation, request, { requestId: 'fuzz', deadline: Date.now() + 10_000, storeId }),
      );
    } finally {
      await nats.close();
    }
  };
  const store = await inside(async (call) => {
    const { id } = await call(createStore, { body: { name: 'Fuzz', tier: 'pro', rate_limit: 10_000_000 } });
    return { id, key: (await call(createApiKey, { body: { store_id: id, name: 'fuzz' } })).api_key };
  });

  return {
    folder,
    dev,
    ports: portsFrom(base),
    gatewayUrl: new URL(dev.base_url).origin,
    /** With a key that may do everything, as often as it likes. */
    store,
    connectAs,
    inside,
    /** Which processes have ended and been started again since it was asked. */
    watch() {
      const before = pids();
      return (): ProcessName[] => {
        const now = pids();
        return processNames.filter((name) => now[name] !== before[name]);
      };
    },
    /** What each process holds once its garbage is gone. */
    async memory(): Promise<Record<ProcessName, Memory>> {
      const told = await Promise.all(
        processNames.map(async (name) => {
          const file = join(folder, `${pidOf(name)}.json`);
          rmSync(file, { force: true });
          process.kill(pidOf(name), 'SIGUSR2');
          const memory = await waitFor<Memory>(() => JSON.parse(readFileSync(file, 'utf8')), {
            description: `${name} tells its memory`,
            timeoutMs: 20_000,
          });
          return [name, memory] as const;
        }),
      );
      return Object.fromEntries(told) as Record<ProcessName, Memory>;
    },
    async stop() {
      const ended = new Promise<void>((resolve) => supervisor.once('exit', () => resolve()));
      if (supervisor.exitCode === null) {
        supervisor.kill('SIGINT');
        const timer = setTimeout(() => supervisor.kill('SIGKILL'), stoppedWithinMs);
        await ended;
        clearTimeout(timer);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
