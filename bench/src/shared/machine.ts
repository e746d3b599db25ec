import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import type { Platform } from './platform.ts';
import { spreadOf } from './statistics.ts';

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

/**
 * Begins to watch how quiet the machine is. The returned function says what was seen until then. Every figure of the run
 * depends on it.
 */
export function watchMachine(): () => string {
  const load = (loadavg()[0] ?? 0).toFixed(2);
  const speed = calculationMs();
  const before = processorTicks();
  return () => {
    const after = processorTicks();
    const taken = (100 * (after.stolen - before.stolen)) / Math.max(1, after.all - before.all);
    return (
      `How quiet the machine was: load average before ${load}; the hypervisor gave ${taken.toFixed(1)} % of the time to ` +
      `others; a fixed calculation took ${speed.toFixed(1)} ms before and ${calculationMs().toFixed(1)} ms after, a call to ` +
      `the kernel ${systemCallUs().toFixed(2)} µs, and the first write to a page of memory ${firstWriteUs().toFixed(2)} µs.`
    );
  };
}

/** The median time of a calculation that is always the same, in milliseconds. */
function calculationMs(): number {
  const data = Buffer.alloc(8 * 1024 ** 2, 1);
  return medianMs(21, () => createHash('sha256').update(data).digest());
}

/** The median time of a call to the kernel that does nearly nothing, in microseconds. */
function systemCallUs(): number {
  const calls = 10_000;
  const each = () => {
    for (let call = 0; call < calls; call++) process.getuid?.();
  };
  return (1000 * medianMs(21, each)) / calls;
}

/**
 * The median time until the kernel has given a page of memory to the process, in microseconds. The C library keeps freed
 * memory for the next use, but not a block of more than 32 MiB (mallopt(3), M_MMAP_THRESHOLD).
 */
function firstWriteUs(): number {
  const [pages, pageSize] = [16_384, 4096];
  const each = () => {
    const memory = Buffer.allocUnsafeSlow(pages * pageSize);
    for (let at = 0; at < memory.length; at += pageSize) memory[at] = 1;
  };
  return (1000 * medianMs(7, each)) / pages;
}

function medianMs(times: number, work: () => unknown): number {
  const each = () => {
    const since = performance.now();
    work();
    return performance.now() - since;
  };
  return spreadOf(Array.from({ length: times }, each)).median;
}

/** The time of all processors, and the part that the hypervisor gave to others, in ticks since the boot (proc_stat(5)). */
function processorTicks(): { all: number; stolen: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.split(/ +/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 };
}

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
