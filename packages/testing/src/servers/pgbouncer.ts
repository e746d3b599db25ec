import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, createChildren, untilReady } from '@mostrador/local-platform/children';
import { freePorts } from '@mostrador/local-platform/ports';
import postgres from 'postgres';

const unprivileged = 65_534;

/** Whether this machine has PgBouncer. Debian: `apt-get install pgbouncer`. */
export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;

/** PgBouncer in front of a server. */
export type PgBouncer = {
  /** The same address through PgBouncer. */
  through(url: string): string;
  stop(): Promise<void>;
};

/**
 * Starts PgBouncer with the settings of docs/operations/engines.md, and no TLS.
 *
 * @param options.urls addresses of one server, with the users and passwords that PgBouncer knows
 */
export async function startPgBouncer(options: {
  urls: readonly string[];
  poolMode: 'session' | 'transaction' | 'statement';
  /** Further lines of its configuration. */
  settings?: string;
}): Promise<PgBouncer> {
  const { urls, poolMode, settings = '' } = options;
  const [first = ''] = urls;
  const server = new URL(first);
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-pgbouncer-'));
  const [port = 0] = await freePorts(1);
  const users = urls.map((url) => new URL(url)).map((url) => `"${url.username}" "${url.password}"`);
  const files = {
    'users.txt': [...new Set(users)].join('\n'),
    'pgbouncer.ini': `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${poolMode}
default_pool_size = 20
${settings}
`,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content, { mode: 0o600 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    chmodSync(folder, 0o755);
    for (const name of Object.keys(files)) chownSync(join(folder, name), unprivileged, unprivileged);
  }
  const through = (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
  const spec = {
    name: 'pgbouncer',
    command: 'pgbouncer',
    args: [join(folder, 'pgbouncer.ini')],
    ...(isRoot && { runAs: { uid: unprivileged, gid: unprivileged } }),
    stopSignal: 'SIGTERM' as const,
    isReady: () => answers(through(first)),
  };
  const child: Child = createChildren(join(folder, 'children.json')).start(spec);
  await untilReady(spec, child, 30_000);
  return {
    through,
    async stop() {
      await child.stop(5_000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<true | string> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`select`;
    return true;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
