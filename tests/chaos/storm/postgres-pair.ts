import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Children } from '@mostrador/local-platform/children';
import type { Ports } from '@mostrador/local-platform/ports';
import { adminUrl, findPostgres, preparePostgres } from '@mostrador/local-platform/servers/postgres';
import type { Certificates } from '@mostrador/testing/servers/certificates';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import { databaseUsers } from '../../../packages/platform/src/servers.ts';
import { createServer, type Server } from './server.ts';

/** PostgreSQL with two places to run. As a `Server` it is the primary, wherever that runs. */
export type PostgresPair = Server & {
  /** The administrator's address of the primary. */
  url(database?: string): string;
  /** Throws when a service is connected without TLS: a storm in plain text must not count as one over TLS. */
  mustBeSecured(): Promise<void>;
  /** The folder of the primary, one of the two. */
  folder(): string;
  /**
   * Starts a standby in the other place and makes replication synchronous. Then runs `meanwhile`, kills the primary,
   * promotes the standby, and removes the data of the old primary. Resolves with the milliseconds without a primary.
   */
  failOver(meanwhile: () => Promise<unknown>): Promise<number>;
};

type Place = { readonly folder: string; readonly port: number; readonly data: string; readonly server: Server };

/**
 * A small write-ahead log leaves room on the small disk. It keeps what a standby needs that starts from a copy made some
 * seconds ago.
 */
const usualSettings = ['max_wal_size=96MB', 'min_wal_size=32MB', 'wal_keep_size=64MB', 'log_min_messages=fatal'];

export function createPostgresPair(options: {
  folders: readonly [string, string];
  ports: Ports;
  password: string;
  /** Both servers have this certificate, and their addresses ask for `verify-full`. */
  tls: Certificates['server'] | undefined;
  children: Children;
  /** Further settings: `name=value`. */
  settings?: readonly string[] | undefined;
}): PostgresPair {
  const { folders, ports, password, tls, children, settings = [] } = options;
  const binaries = findPostgres(process.env);
  const urlOf = (port: number, database?: string) =>
    `${adminUrl({ port, password, ...(database && { database }) })}${tls ? '?sslmode=verify-full' : ''}`;
  const placeOf = (folder: string, port: number, otherPort: number): Place => {
    const data = join(folder, 'postgres');
    // Only a standby uses it.
    const source = `primary_conninfo=host=127.0.0.1 port=${otherPort} user=postgres password=${password}`;
    const extra = [...usualSettings, ...settings, source].flatMap((setting) => ['-c', setting]);
    // Prepared before each start, because a killed server leaves its lock file.
    const server = createServer(children, async () => {
      const spec = await preparePostgres({ binaries, dataDirectory: data, port, password, durable: true, tls });
      return { ...spec, args: [...spec.args, ...extra] };
    });
    return { folder, port, data, server };
  };
  let primary = placeOf(folders[0], ports.postgres, ports.postgresStandby);
  let standby = placeOf(folders[1], ports.postgresStandby, ports.postgres);

  const connect = async <T>({ port }: Place, work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
    const sql = postgres(urlOf(port), { max: 1, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  };
  return {
    start: () => primary.server.start(),
    stop: () => primary.server.stop(),
    kill: () => primary.server.kill(),
    killAll: () => primary.server.killAll(),
    stall: () => primary.server.stall(),
    goOn: () => primary.server.goOn(),
    reload: () => primary.server.reload(),
    url: (database) => urlOf(primary.port, database),
    async mustBeSecured() {
      const plain = await connect(
        primary,
        (sql) => sql`
          select distinct usename from pg_stat_activity join pg_stat_ssl using (pid)
          where not ssl and usename like any (${databaseUsers.map((user) => `${user}%`)})`,
      );
      if (plain.length > 0) throw new Error(`without TLS: ${plain.map(({ usename }) => usename).join(', ')}`);
    },
    folder: () => primary.folder,
    async failOver(meanwhile) {
      await connect(primary, async (sql) => {
        await copyRunning(sql, primary.data, standby.data);
        await writeFile(join(standby.data, 'standby.signal'), '');
        await standby.server.start();
        await untilReplication(sql, "state = 'streaming'");
        // The copy was made before, so the promoted standby does not wait for a standby of its own.
        await makeSynchronous(sql);
      });
      await meanwhile();
      const killedAt = performance.now();
      // A surviving backend could still answer a read after the promotion.
      await primary.server.killAll();
      await connect(standby, (sql) => sql`select pg_promote()`);
      const downMs = performance.now() - killedAt;
      await rm(primary.data, { recursive: true });
      [primary, standby] = [standby, primary];
      return downMs;
    },
  };
}

/**
 * Copies the data of a running server, as `pg_basebackup` does. With an archive it waits until that has what the copy
 * needs.
 */
export async function copyRunning(sql: postgres.Sql, from: string, to: string, archived = false): Promise<void> {
  await sql`select pg_backup_start('copy', fast => true)`;
  // `cp` keeps the owner, which is another user when this process is root.
  await promisify(execFile)('cp', ['-a', from, to], { env: { ...process.env, LC_ALL: 'C' } }).catch(ignoreVanished);
  const [backup] = await sql<{ labelfile: string }[]>`
    select labelfile from pg_backup_stop(wait_for_archive => ${archived})`;
  await writeFile(join(to, 'backup_label'), backup?.labelfile as string);
}

/** The server deletes files while they are copied. Replay of the write-ahead log deletes the copies of others, too. */
function ignoreVanished(error: Error & { stderr?: string }): void {
  const lines = error.stderr?.trim().split('\n') ?? [''];
  if (!lines.every((line) => line.endsWith('No such file or directory'))) throw error;
}

const untilReplication = (sql: postgres.Sql, condition: string): Promise<unknown> =>
  waitFor(async () => (await sql.unsafe(`select from pg_stat_replication where ${condition}`)).length > 0, {
    description: `the standby has ${condition}`,
    timeoutMs: 60_000,
  });

/** From then on every commit that was ever acknowledged is on the standby. */
async function makeSynchronous(sql: postgres.Sql): Promise<void> {
  await sql`alter system set synchronous_standby_names = '*'`;
  await sql`select pg_reload_conf()`;
  await untilReplication(sql, "sync_state = 'sync'");
  // Commits wait for the standby once the checkpointer has read the setting, which it does before a checkpoint.
  await sql`checkpoint`;
  // This commit waits, and with it the standby has all earlier ones.
  await sql`select pg_current_xact_id()`;
}
