import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { proportionalMb } from '../shared/processes.ts';
import type { FollowupStage } from './stage.ts';

/** The memory and disk space of the platform at one time. */
export type Footprint = {
  /** Memory in megabytes, by process. */
  readonly memoryMb: Readonly<Record<string, number>>;
  /** Disk space in bytes, by store. */
  readonly disk: Readonly<Record<string, number>>;
};

/** Measures the footprint, after a vacuum and a checkpoint of PostgreSQL. */
export async function footprintOf({ platform, sql }: FollowupStage): Promise<Footprint> {
  await sql`vacuum`;
  await sql`checkpoint`;
  const [size] = await sql<{ database: string; table: string }[]>`
    select pg_database_size(current_database()) as database, pg_total_relation_size('scheduling.followups') as table`;
  return {
    memoryMb: Object.fromEntries(Object.entries(platform.processes).map(([name, pid]) => [name, proportionalMb(pid)])),
    disk: {
      'PostgreSQL, the database': Number(size?.database),
      'of it the follow-ups and their indexes': Number(size?.table),
      "Temporal's SQLite": bytesIn(join(platform.localDirectory, 'temporal')),
      "NATS' events": bytesIn(join(platform.localDirectory, 'nats')),
    },
  };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + sizeOf(join(parentPath, name)), 0);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0; // the file was deleted in between
}
