import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { freeBase, type PortName, portsFrom } from '../../../infra/local/ports.ts';
import { identify } from '../../../infra/local/process-identity.ts';
import { natsUrlOf, readSecrets } from '../../../infra/local/secrets.ts';
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
  /** Every process of it, but not the one that supervises them, as it was started. */
  readonly processes: Named;
  /** The same as they run at this moment: one that was killed is started again. */
  running(): Named;
  /** Where one of its processes serves its metrics. */
  metricsUrl(process: PortName): string;
  newStore(options: StoreOptions): Promise<Store>;
  /** Runs a command of `npm run admin` (`channel show --store …`) and returns what it prints; `secrets` goes to its stdin. */
  admin<Printed>(line: string, secrets?: object): Promise<Printed>;
  stop(): Promise<void>;
};

/** What is connected: a feed calendar, a sandbox channel without limits. */
export type StoreOptions = { readonly calendar?: boolean; readonly channel?: boolean };

/** For the baselines: NATS as one that asks, and as one that answers. */
export const natsOf = ({ natsUrl }: Platform) => ({ NATS_URL: natsUrl('gateway'), NATS_SERVICE_URL: natsUrl('crm') });

/** A store whose rate limit does not count, and a key of it. */
export type Store = { readonly id: string; readonly key: string };

const readyWithinMs = 180_000;
const requestsAMinute = 10_000_000;
const messagesASecond = 10_000;
/** Of the servers; the services and what measures keep 0. */
export const serverNiceness = 5;
export const servers = ['postgres', 'nats', 'temporal'];

/**
 * Starts what `npm start` of that clone starts, on its own data in the clone's `.local/bench`, and gives PostgreSQL, NATS
 * and Temporal a lower priority than the services.
 */
export async function startPlatform(root: string, environment: Record<string, string> = {}): Promise<Platform> {
  const localDirectory = newFolder(join(root, '.local/bench'));
  const outputFile = join(localDirectory, 'npm-start.log');
  const base = await freeBase(localDirectory);
  const output = openSync(outputFile, 'a');
  const child = spawn(process.execPath, [join(root, 'infra/local/dev.ts')], {
    cwd: root,
    env: {
      ...process.env,
      LOCAL_DIR: localDirectory,
      MOSTRADOR_PORT: String(base),
      MOSTRADOR_BASE_PORT: String(base),
      MOSTRADOR_DEMO: 'off',
      // The bare servers write no line for each request either.
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', output, output],
    detached: true, // Ctrl-C in the terminal reaches the benchmark alone, which then stops it in order
  });
  closeSync(output);
  const stop = async () => {
    await stopPlatform(child);
    rmSync(localDirectory, { recursive: true, force: true });
  };
  try {
    const dev = await untilReady(child, localDirectory, outputFile);
    const { postgresPassword } = readSecrets(localDirectory);
    const processes = readChildren(localDirectory);
    for (const server of servers) renice(processes[server] ?? -1, serverNiceness);
    const admin: Platform['admin'] = (line, secrets) => runAdmin(root, localDirectory, line, secrets);
    return {
      origin: new URL(dev.base_url).origin,
      databaseUrl: dev.database_url,
      natsUrl: (user) => natsUrlOf(user, dev.nats_url, postgresPassword),
      temporalAddress: dev.temporal_address,
      localDirectory,
      processes,
      running: () => readChildren(localDirectory),
      metricsUrl: (name) => `http://127.0.0.1:${portsFrom(base)[name]}/metrics`,
      newStore: (options) => newStore(admin, options),
      admin,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
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

async function runAdmin<Printed>(
  root: string,
  localDirectory: string,
  line: string,
  secrets?: object,
): Promise<Printed> {
  const words = [...line.split(' '), ...(secrets ? ['--secrets-stdin'] : []), '--json'];
  const child = spawn(process.execPath, [join(root, 'apps/admin/src/main.ts'), ...words], {
    env: { ...process.env, LOCAL_DIR: localDirectory, NATS_URL: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(secrets ? JSON.stringify(secrets) : '');
  return JSON.parse(await text(child.stdout));
}

type DevFile = { base_url: string; database_url: string; nats_url: string; temporal_address: string };

async function untilReady(child: ChildProcess, localDirectory: string, outputFile: string): Promise<DevFile> {
  const until = Date.now() + readyWithinMs;
  while (Date.now() < until && child.exitCode === null && child.signalCode === null) {
    try {
      const dev: DevFile = JSON.parse(readFileSync(join(localDirectory, 'dev.json'), 'utf8'));
      if ((await fetch(new URL('/readyz', dev.base_url))).ok) return dev;
    } catch {
      // Not there yet.
    }
    await pause(100);
  }
  throw new Error(`the platform did not start\n${readFileSync(outputFile, 'utf8')}`);
}

function readChildren(localDirectory: string): Named {
  const children: { name: string; pid: number }[] = JSON.parse(
    readFileSync(join(localDirectory, 'children.json'), 'utf8'),
  );
  return Object.fromEntries(children.map(({ name, pid }) => [name, pid]));
}

async function stopPlatform(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await Promise.race([exited, pause(30_000, undefined, { ref: false })]);
  child.kill('SIGKILL');
}

/**
 * A folder for this run; those of runs that were killed go. Compiled code is kept: a process that has just stripped types
 * or bundled workflows holds the memory for it.
 */
function newFolder(runs: string): string {
  const cache = join(runs, 'cache');
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(runs)) {
    if (name !== 'cache' && !identify(Number.parseInt(name, 10)))
      rmSync(join(runs, name), { recursive: true, force: true });
  }
  // A run may have several.
  const folder = mkdtempSync(join(runs, `${process.pid}.`));
  symlinkSync(cache, join(folder, 'cache'));
  return folder;
}
