import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, createChildren, untilReady } from '@mostrador/local-platform/children';
import { freePorts } from '@mostrador/local-platform/ports';
import { adminUrl, findPostgres, preparePostgres } from '@mostrador/local-platform/servers/postgres';
import postgres from 'postgres';
import { dataFolder } from './data-folder.ts';

/** A primary and its standby. The primary acknowledges a commit when the standby has it. */
export type ReplicatedPostgres = {
  /** The administrator's address of both hosts: the standby comes first. */
  readonly url: string;
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  readonly password: string;
  /** Kills the primary, as in a crash. */
  killPrimary(): Promise<void>;
  /** Makes the standby a primary. */
  promoteStandby(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts both servers. The standby begins as a copy of the primary's empty cluster, and streams from there. With `tls`
 * both have this certificate, and the addresses ask for `verify-full`.
 */
export async function startReplicatedPostgres(
  options: { tls?: { cert: string; key: string } | undefined } = {},
): Promise<ReplicatedPostgres> {
  const folder = await dataFolder('replicated');
  const [primaryPort = 0, standbyPort = 0] = await freePorts(2);
  const shared = { binaries: findPostgres(process.env), password: 'test', durable: true, tls: options.tls };
  const specOf = async (name: string, port: number, settings: readonly string[]) => {
    const spec = await preparePostgres({ ...shared, dataDirectory: join(folder, name), port });
    return { ...spec, name, args: [...spec.args, ...settings.flatMap((setting) => ['-c', setting])] };
  };
  const primary = await specOf('primary', primaryPort, ['synchronous_standby_names=*']);
  // A copy with `cp` keeps the owner, which is another user when this process is root.
  const [from, to] = [join(folder, 'primary'), join(folder, 'standby')];
  const script = `cp -a "$0" "$1" && cp -p "$1/PG_VERSION" "$1/standby.signal"`;
  const copied = spawnSync('sh', ['-c', script, from, to], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(`the cluster could not be copied: ${copied.stderr}`);
  const source = `host=127.0.0.1 port=${primaryPort} user=postgres password=${shared.password}`;
  const standby = await specOf('standby', standbyPort, [`primary_conninfo=${source}`]);

  const running: Child[] = [];
  for (const spec of [primary, standby]) {
    const child = createChildren(join(folder, `${spec.name}.json`)).start(spec);
    running.push(child);
    await untilReady(spec, child);
  }
  const urlOf = (port: number) =>
    `${adminUrl({ port, password: shared.password })}${options.tls ? '?sslmode=verify-full' : ''}`;
  const [primaryUrl, standbyUrl] = [urlOf(primaryPort), urlOf(standbyPort)];
  return {
    url: standbyUrl.replace(`:${standbyPort}`, `:${standbyPort},127.0.0.1:${primaryPort}`),
    primaryUrl,
    standbyUrl,
    password: shared.password,
    async killPrimary() {
      running[0]?.kill();
      await running[0]?.exited;
    },
    async promoteStandby() {
      const sql = postgres(standbyUrl, { max: 1, onnotice: () => {} });
      await sql`select pg_promote()`;
      await sql.end();
    },
    async stop() {
      await Promise.all(running.map((child) => child.stop(5_000)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
