import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectChannel, createApiKey, createStore } from '@mostrador/contracts';
import { createLog } from '@mostrador/kit/process/log';
import { connectNats, type NatsConnection } from '@mostrador/kit/rpc/nats';
import { localDirectory, root } from '@mostrador/local-platform/paths';
import { type InsideCall, withInsideClient } from '@mostrador/testing/platform/inside-client';
import { startLocalPlatform } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import { waitFor } from '@mostrador/testing/wait';
import { type ProcessName, processNames } from '../../packages/platform/src/processes.ts';
import type { NatsUser } from '../../packages/platform/src/servers.ts';

export type { ProcessName };
export type Memory = { heapUsed: number; external: number; rss: number };
export type FuzzPlatform = Awaited<ReturnType<typeof startFuzzPlatform>>;

/** Starts the platform as `npm start` does, with processes that write their memory use on SIGUSR2. */
export async function startFuzzPlatform() {
  const runs = runFolders(join(localDirectory(process.env), 'fuzz'));
  await runs.removeDead();
  const folder = runs.create();
  const platform = await startLocalPlatform({
    root,
    folder,
    environment: {
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'heap-on-signal.ts')).href}`,
      FUZZ_HEAP_FOLDER: folder,
    },
  });
  const { dev, ports, natsUrl } = platform;
  const pidOf = (name: ProcessName): number => platform.pids()[name] ?? 0;
  const pids = () => Object.fromEntries(processNames.map((name) => [name, pidOf(name)])) as Record<ProcessName, number>;
  const silent = createLog({ service: 'fuzz', level: 'silent', format: 'json' });
  const inside = <T>(work: (call: InsideCall) => Promise<T>): Promise<T> => withInsideClient(natsUrl('admin'), work);
  const store = await inside(async (call) => {
    const { id } = await call(createStore, { body: { name: 'Fuzz', tier: 'pro', rate_limit: 10_000_000 } });
    return { id, key: (await call(createApiKey, { body: { store_id: id, name: 'fuzz' } })).api_key };
  });

  const whatsapp = { appSecret: 'the app secret of a fuzzer', phoneNumberId: '106540352242922', phone: '15550783881' };
  const connectWhatsapp = async (): Promise<string> => {
    const { phone, phoneNumberId, appSecret } = whatsapp;
    const secrets = { access_token: 'token', app_secret: appSecret, verify_token: 'verify' };
    const address = { phone, phone_number_id: phoneNumberId, api_url: 'http://127.0.0.1:9' };
    const body = { provider: 'whatsapp_cloud' as const, ...address, secrets };
    return (await inside((call) => call(connectChannel, { body }, store.id))).channel_id;
  };
  /** Valid parameters of public paths, by their names. The feed and the telephone are those of the demo store. */
  const parameters: Readonly<Record<string, string | undefined>> = {
    channelId: await connectWhatsapp(),
    file: dev.feed_url?.split('/').at(-1),
    token: dev.sandbox_url?.split('/').at(-1),
    code: 'validation_failed',
    guide: 'errors',
  };

  return {
    folder,
    dev,
    parameters,
    whatsapp,
    /** Connects the store's WhatsApp channel, whose provider cannot be reached. Other parts may disconnect it. */
    connectWhatsapp,
    ports,
    gatewayUrl: platform.origin,
    /** A store with a key that has every scope and practically no rate limit. */
    store,
    connectAs: (user: NatsUser): Promise<NatsConnection> =>
      connectNats({ url: natsUrl(user), name: 'fuzz', log: silent }),
    inside,
    /** Returns a function that lists the processes restarted since this call. */
    watch() {
      const before = pids();
      return (): ProcessName[] => {
        const now = pids();
        return processNames.filter((name) => now[name] !== before[name]);
      };
    },
    /** The memory of each process after garbage collection, in bytes. */
    async memory(): Promise<Record<ProcessName, Memory>> {
      const told = await Promise.all(
        processNames.map(async (name) => {
          const file = join(folder, `${pidOf(name)}.json`);
          rmSync(file, { force: true });
          process.kill(pidOf(name), 'SIGUSR2');
          const memory = await waitFor<Memory>(() => JSON.parse(readFileSync(file, 'utf8')), {
            description: `${name} writes its memory use`,
            timeoutMs: 20_000,
          });
          return [name, memory] as const;
        }),
      );
      return Object.fromEntries(told) as Record<ProcessName, Memory>;
    },
    stop: platform.stop,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
