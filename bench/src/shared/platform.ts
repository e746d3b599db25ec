import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { startLocalPlatform } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import type { PortName } from '../../../infra/local/ports.ts';
import type { NatsUser } from '../../../infra/nats/users.ts';
import { type Named, renice } from './processes.ts';

/** A platform of the benchmark's own. */
export type Platform = {
  readonly origin: string;
  readonly databaseUrl: string;
  /** NATS as this user. */
  natsUrl(user: NatsUser): string;
  readonly temporalAddress: string;
  readonly localDirectory: string;
  /** Every process but the supervisor, as it was started. */
  readonly processes: Named;
  /** Every process as it runs now: one that was killed is started again. */
  running(): Named;
  /** Where a process serves its metrics. */
  metricsUrl(process: PortName): string;
  newStore(options: StoreOptions): Promise<Store>;
  /** Runs a command of `npm run admin` (`channel show --store …`) and returns what it prints; `secrets` goes to its stdin. */
  admin<Printed>(line: string, secrets?: object): Promise<Printed>;
  stop(): Promise<void>;
};

/** What is connected: a feed calendar, a sandbox channel without limits. */
export type StoreOptions = { readonly calendar?: boolean; readonly channel?: boolean };

/** For the baselines: NATS as a caller, and as a service. */
export const natsOf = ({ natsUrl }: Platform) => ({ NATS_URL: natsUrl('gateway'), NATS_SERVICE_URL: natsUrl('crm') });

/** A store whose rate limit does not count, and a key of it. */
export type Store = { readonly id: string; readonly key: string };

const requestsAMinute = 10_000_000;
const messagesASecond = 10_000;
/** Of the servers. The services and what measures keep 0. */
export const serverNiceness = 5;
export const servers = ['postgres', 'nats', 'temporal'];

/**
 * Starts what `npm start` of that checkout starts, on data in the checkout's `.local/bench`, and gives PostgreSQL, NATS
 * and Temporal a lower priority than the services.
 */
export async function startPlatform(root: string, environment: Record<string, string> = {}): Promise<Platform> {
  const folder = await newFolder(join(root, '.local/bench'));
  const platform = await startLocalPlatform({
    root,
    folder,
    // The bare servers log no line for each request either.
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

/** The cache is shared by all runs: a process that has just stripped types or bundled workflows holds the memory for it. */
async function newFolder(parent: string): Promise<string> {
  const cache = join(parent, 'cache');
  mkdirSync(cache, { recursive: true });
  const runs = runFolders(parent, ['cache']);
  await runs.removeDead();
  const folder = runs.create();
  symlinkSync(cache, join(folder, 'cache'));
  return folder;
}
