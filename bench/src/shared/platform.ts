import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { PortName } from '@mostrador/local-platform/ports';
import { startLocalPlatform } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import type { NatsUser } from '../../../packages/platform/src/servers.ts';
import { type Named, renice } from './processes.ts';

/** A separate platform for a benchmark. */
export type Platform = {
  readonly origin: string;
  readonly databaseUrl: string;
  /** The address of NATS with the credentials of this user. */
  natsUrl(user: NatsUser): string;
  readonly temporalAddress: string;
  readonly localDirectory: string;
  /** The pids of all processes at the start, without the supervisor. */
  readonly processes: Named;
  /** The current pids. The supervisor restarts a killed process with a new one. */
  running(): Named;
  /** The address of a process's metrics. */
  metricsUrl(process: PortName): string;
  newStore(options: StoreOptions): Promise<Store>;
  /** Runs a command of `npm run admin` (`channel show --store …`) and returns its output. `secrets` go to its stdin. */
  admin<Printed>(line: string, secrets?: object): Promise<Printed>;
  stop(): Promise<void>;
};

/** What to connect to a store: a feed calendar, a sandbox channel with a high rate limit. */
export type StoreOptions = { readonly calendar?: boolean; readonly channel?: boolean };

/** The environment of the baselines: the addresses of NATS for a caller and for a service. */
export const natsOf = ({ natsUrl }: Platform) => ({ NATS_URL: natsUrl('gateway'), NATS_SERVICE_URL: natsUrl('crm') });

/** A store with a very high rate limit, and its key. */
export type Store = { readonly id: string; readonly key: string };

const requestsAMinute = 10_000_000;
const messagesASecond = 10_000;
/** The niceness of the servers. The services and the load have 0. */
export const serverNiceness = 5;
export const servers = ['postgres', 'nats', 'temporal'];

/**
 * Starts the platform of that checkout as `npm start` does, with its data in the checkout's `.local/bench`. Gives
 * PostgreSQL, NATS and Temporal a lower priority than the services.
 */
export async function startPlatform(root: string, environment: Record<string, string> = {}): Promise<Platform> {
  const folder = await newFolder(join(root, '.local/bench'));
  const platform = await startLocalPlatform({
    root,
    folder,
    // No access logs, because the bare servers write none either.
    environment: { MOSTRADOR_DEMO: 'off', LOG_LEVEL: 'warn', ...environment },
  });
  const processes = platform.pids();
  for (const server of servers) renice(processes[server] ?? -1, serverNiceness);
  const { dev, origin, ports, natsUrl, admin } = platform;
  return {
    origin,
    databaseUrl: dev.database_url,
    natsUrl,
    temporalAddress: dev.temporal_address,
    localDirectory: folder,
    processes,
    running: platform.pids,
    metricsUrl: (name) => `http://127.0.0.1:${ports[name]}/metrics`,
    newStore: (options) => newStore(admin, options),
    admin,
    stop: async () => {
      await platform.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function newStore(admin: Platform['admin'], { calendar, channel }: StoreOptions): Promise<Store> {
  const { id } = await admin<{ id: string }>(
    `store create --name bench --tier enterprise --rate-limit ${requestsAMinute}`,
  );
  const { api_key: key } = await admin<{ api_key: string }>(`key create --store ${id} --name bench`);
  if (calendar) await admin(`calendar connect --store ${id} --provider feed`);
  if (channel) await admin(`channel connect --store ${id} --provider sandbox --number-rate ${messagesASecond}`);
  return { id, key };
}

/** Creates a run folder with the shared cache. Without a cache, type stripping and bundling would add to the memory. */
async function newFolder(parent: string): Promise<string> {
  const cache = join(parent, 'cache');
  mkdirSync(cache, { recursive: true });
  const runs = runFolders(parent, ['cache']);
  await runs.removeDead();
  const folder = runs.create();
  symlinkSync(cache, join(folder, 'cache'));
  return folder;
}
