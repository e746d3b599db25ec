import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import type { Platform } from '../shared/platform.ts';

/** Rows per second of the command, and of PostgreSQL's COPY of the same rows into a table with the same indexes. */
export type Imported = { readonly platform: number; readonly again: number; readonly copy: number };

/** Imports a file into a new store twice, then copies its rows with COPY. */
export async function measureImport(root: string, platform: Platform, rows: number): Promise<Imported> {
  const file = join(platform.localDirectory, 'import.csv');
  await pipeline(Readable.from(csv(rows)), createWriteStream(file));
  const { id } = await platform.newStore({ calendar: false });
  const first = await importFile(root, platform, id, file);
  const again = await importFile(root, platform, id, file);
  if (first.created !== rows || again.existing !== rows)
    throw new Error('the import did not create every lead exactly once');
  const copySeconds = await copy(platform.databaseUrl, id, file);
  await rm(file);
  return { platform: rows / first.seconds, again: rows / again.seconds, copy: rows / copySeconds };
}

function* csv(rows: number): Generator<string> {
  yield 'name,customer_phone,status\n';
  for (let row = 0; row < rows; row++) yield `Maria da Silva ${row},${5_511_700_000_000 + row},pending\n`;
}

type Result = { created: number; existing: number; seconds: number };

async function importFile(root: string, platform: Platform, storeId: string, file: string): Promise<Result> {
  const argv = ['lead', 'import', '--store', storeId, file, '--json'];
  const child = spawn(process.execPath, [join(root, 'apps/admin/src/main.ts'), ...argv], {
    env: { ...process.env, LOCAL_DIR: platform.localDirectory, NATS_URL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout));
}

async function copy(databaseUrl: string, storeId: string, file: string): Promise<number> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql`truncate bench.copied_leads`;
    await sql.unsafe(`alter table bench.copied_leads alter store_id set default '${storeId}'`);
    const startedAt = performance.now();
    const into = await sql`
      copy bench.copied_leads (name, customer_phone, status) from stdin (format csv, header)`.writable();
    await pipeline(createReadStream(file), into);
    return (performance.now() - startedAt) / 1000;
  } finally {
    await sql.end();
  }
}
