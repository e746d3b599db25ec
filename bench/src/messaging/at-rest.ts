import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuOfAll, proportionalMb } from '../shared/processes.ts';
import type { Measured, MessagingPlan } from './plan.ts';
import { receive } from './receive.ts';
import { send } from './send.ts';
import { type MessagingStage, untilIdle } from './stage.ts';

/** What a platform without requests uses. */
export async function idle(stage: MessagingStage, { longSeconds, restSeconds }: MessagingPlan): Promise<Measured> {
  const { processes } = stage;
  const named = Object.values(processes);
  await untilIdle(stage);
  await pause(restSeconds * 1000);
  const before = cpuOfAll(processes);
  await pause(longSeconds * 1000);
  const after = cpuOfAll(processes);
  const figures: Record<string, number> = { 'cores, all': 0, 'memory, all, MB': 0 };
  const cores: Record<string, number> = {};
  for (const [name, pid] of Object.entries(processes)) {
    const megabytes = proportionalMb(pid, named);
    cores[name] = ((after[name] ?? 0) - (before[name] ?? 0)) / longSeconds;
    figures[`cores, ${name}`] = cores[name];
    figures[`memory, ${name}, MB`] = megabytes;
    figures['cores, all'] = (figures['cores, all'] ?? 0) + cores[name];
    figures['memory, all, MB'] = (figures['memory, all, MB'] ?? 0) + megabytes;
  }
  return { figures, cpuMs: {} };
}

/** What a message received and one sent leave on the disk. */
export async function disk(stage: MessagingStage, { stored }: MessagingPlan): Promise<Measured> {
  await untilIdle(stage);
  // From here on the first write to each page puts the whole page into the write-ahead log, in every run alike.
  await stage.sql`checkpoint`;
  const before = await sizes(stage);
  await receive(stage, { count: stored });
  await send(stage, stage.waiting, { concurrency: 8, durationMs: 30 * 60_000, requests: stored });
  await untilIdle(stage);
  const after = await sizes(stage);
  const grown = Object.fromEntries(Object.entries(after).map(([name, size]) => [name, size - (before[name] ?? 0)]));
  const { 'PostgreSQL, WAL': wal = 0, ...kept } = grown;
  const all = Object.values(kept).reduce((sum, each) => sum + each, 0);
  const figures = Object.entries({ 'all data': all, 'PostgreSQL, WAL': wal, ...kept });
  return {
    figures: Object.fromEntries(figures.map(([name, bytes]) => [`${name}, kB`, bytes / 1024 / stored])),
    cpuMs: {},
  };
}

/** The bytes of what is stored, by where it is. */
export async function sizes({ sql, platform }: MessagingStage): Promise<Record<string, number>> {
  const [{ wal }] = await sql<[{ wal: number }]>`select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal`;
  const schemas = await sql<{ schema: string; size: number }[]>`
    select nspname as schema, sum(pg_total_relation_size(c.oid))::float8 as size
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and nspname !~ '^(pg_|bench|information_schema)' group by nspname`;
  const folderOf = (name: string) => sizeOf(join(platform.localDirectory, name));
  return {
    'PostgreSQL, WAL': wal,
    ...Object.fromEntries(schemas.map(({ schema, size }) => [`PostgreSQL, ${schema}`, size])),
    Temporal: folderOf('temporal'),
    NATS: folderOf('nats'),
  };
}

/** The bytes of all files in a folder. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
