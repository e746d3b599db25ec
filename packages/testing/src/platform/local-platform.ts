import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { freeBase, type Ports, portsFrom } from '@mostrador/local-platform/ports';
import { natsUrlOf, readSecrets } from '@mostrador/local-platform/secrets';
import postgres from 'postgres';
import { runtimeEnvironment } from '../../../platform/src/processes.ts';
import type { NatsUser } from '../../../platform/src/servers.ts';

/** The part of `.local/dev.json` that programs read. */
export type DevFile = {
  readonly base_url: string;
  readonly database_url: string;
  readonly nats_url: string;
  readonly temporal_address: string;
  /** Null without demo data. */
  readonly feed_url: string | null;
  readonly sandbox_url: string | null;
};

/** The platform as `npm start` runs it, on data of its own. */
export type LocalPlatform = {
  readonly dev: DevFile;
  /** The gateway's address, without a path. */
  readonly origin: string;
  readonly ports: Ports;
  readonly folder: string;
  readonly outputFile: string;
  /** The NATS URL of this user. */
  natsUrl(user: NatsUser): string;
  /** The current process ids of servers and services. The platform restarts a killed process with a new id. */
  pids(): Readonly<Record<string, number>>;
  /** Runs an admin command with `--json` and returns its parsed output. `secrets` goes to its standard input. */
  admin<Printed>(line: string, secrets?: object): Promise<Printed>;
  /** Stops the platform as one Ctrl-C does. Returns an error text, or undefined after a clean stop. */
  stop(): Promise<string | undefined>;
};

const readyWithinMs = 180_000;
const stoppedWithinMs = 30_000;

/**
 * Starts the platform of the checkout at `root` with its data in `folder`, and waits until it is ready.
 *
 * @throws Error with the end of its output when it exits or is not ready within 180 s
 */
export async function startLocalPlatform(options: {
  readonly root: string;
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** False: PostgreSQL does not wait for the disk. What it has written outlives its processes, but no loss of power. */
  readonly durable?: boolean;
  /** Platforms of the same text get the same ports, where those are free. The default is the folder. */
  readonly portsOf?: string;
}): Promise<LocalPlatform> {
  const { root, folder, environment, durable = true, portsOf = folder } = options;
  const outputFile = outputFileOf(folder);
  const base = await freeBase(portsOf);
  const output = openSync(outputFile, 'a');
  const child = spawn(process.execPath, [join(root, 'infra/local/dev.ts')], {
    cwd: root,
    env: {
      ...process.env,
      ...runtimeEnvironment,
      LOCAL_DIR: folder,
      MOSTRADOR_PORT: String(base),
      MOSTRADOR_BASE_PORT: String(base),
      NODE_ENV: undefined,
      VITEST: undefined,
      // What does not depend on the data is made once for all platforms of the checkout.
      NODE_COMPILE_CACHE: join(root, '.local/cache/node'),
      WORKFLOW_BUNDLE_CACHE: join(root, '.local/cache/workflows'),
      ...environment,
    },
    stdio: ['ignore', output, output],
    // Its own process group: Ctrl-C in the terminal reaches only this process, which then stops the platform in order.
    detached: true,
  });
  closeSync(output);
  const stop = () => stopInOrder(child);
  try {
    const dev = await untilReady(child, folder);
    const { postgresPassword } = readSecrets(folder);
    if (!durable) await waitForNoDisk(dev.database_url);
    return {
      dev,
      origin: new URL(dev.base_url).origin,
      ports: portsFrom(base),
      folder,
      outputFile,
      natsUrl: (user) => natsUrlOf(user, dev.nats_url, postgresPassword),
      pids: () => readPids(folder),
      admin: (line, secrets) => runAdmin(root, folder, line, secrets),
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}\n${tail(outputFile)}`);
  }
}

async function untilReady(child: ChildProcess, folder: string): Promise<DevFile> {
  for (const until = Date.now() + readyWithinMs; Date.now() < until; await pause(100)) {
    if (hasEnded(child)) throw new Error('the platform exited before it was ready');
    try {
      const dev: DevFile = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8'));
      if ((await fetch(new URL('/readyz', dev.base_url))).ok) return dev;
    } catch {
      // The file or the gateway is not there yet.
    }
  }
  throw new Error(`the platform was not ready within ${readyWithinMs / 1000} s`);
}

async function waitForNoDisk(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 });
  await sql`alter system set fsync = off`;
  await sql`select pg_reload_conf()`;
  await sql.end();
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function stopInOrder(child: ChildProcess): Promise<string | undefined> {
  if (hasEnded(child)) return 'the platform had already exited';
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGINT');
  const timer = new AbortController();
  await Promise.race([exited, pause(stoppedWithinMs, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
  if (child.exitCode === 0) return undefined;
  if (child.exitCode !== null) return `the platform stopped with exit code ${child.exitCode}`;
  child.kill('SIGKILL');
  return `the platform did not stop within ${stoppedWithinMs / 1000} s`;
}

function readPids(folder: string): Record<string, number> {
  const children: { name: string; pid: number }[] = JSON.parse(readFileSync(join(folder, 'children.json'), 'utf8'));
  return Object.fromEntries(children.map(({ name, pid }) => [name, pid]));
}

async function runAdmin<Printed>(root: string, folder: string, line: string, secrets?: object): Promise<Printed> {
  const words = [...line.split(' '), ...(secrets ? ['--secrets-stdin'] : []), '--json'];
  const child = spawn(process.execPath, [join(root, 'apps/admin/src/main.ts'), ...words], {
    env: { ...process.env, LOCAL_DIR: folder, NATS_URL: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(secrets ? JSON.stringify(secrets) : '');
  return JSON.parse(await text(child.stdout));
}

/** What a platform with this folder prints. */
export const outputFileOf = (folder: string): string => join(folder, 'npm-start.log');

/** The last 40 lines of a file. */
export const tail = (file: string): string => readFileSync(file, 'utf8').split('\n').slice(-40).join('\n');
