import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import type { Platform } from './platform.ts';

/** Describes the machine, the runtime and the servers, one line each. */
export async function describeMachine(platform: Platform): Promise<string[]> {
  const sql = postgres(platform.databaseUrl, { max: 1 });
  const [server] = await sql`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as commit`;
  await sql.end();
  const commandOf = (name: string) =>
    readFileSync(`/proc/${platform.processes[name]}/cmdline`, 'utf8').split('\0')[0] ?? '';
  const versionOf = (name: string, argument: string) =>
    spawnSync(commandOf(name), [argument], { encoding: 'utf8' }).stdout.trim().split('\n')[0] ?? '';
  const [first] = cpus();
  return [
    `${first?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GB, Linux ${release()}`,
    `Node ${process.version}, Fastify ${packageVersion('fastify')}, postgres.js ${packageVersion('postgres')}, nats ${packageVersion('nats')}, @temporalio/worker ${packageVersion('@temporalio/worker')}`,
    `PostgreSQL ${server?.version} (fsync ${server?.fsync}, synchronous_commit ${server?.commit}), ${versionOf('nats', '--version')}, ${versionOf('temporal', '--version')} (SQLite, WAL)`,
  ];
}

/** The load average of the last minute. */
export const loadAverage = (): string => (loadavg()[0] ?? 0).toFixed(2);

function packageVersion(name: string): string {
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  for (; folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (found.name === name) return found.version;
    } catch {
      // The package.json is in a folder further up.
    }
  }
  return 'unknown';
}
