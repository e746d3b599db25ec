import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import { startPeer } from '@mostrador/local-platform/peer';
import type { Command } from 'commander';
import postgres from 'postgres';
import { fillLeads } from '../crm/fill.ts';
import { untilBuilt } from '../crm/until-built.ts';
import { untilQuiet } from '../shared/backlog.ts';
import { type Benchmark, type BenchmarkOptions, positive } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { proportionalMb } from '../shared/processes.ts';
import { settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import type { ReadJob, ReadResult } from './reader.ts';
import { type Memory, measured, type Reading, reportExports, ways } from './report.ts';

type Options = BenchmarkOptions & { readonly rows?: number };

const full = { rows: 1_000_000, rounds: 3 };
const quickly = { rows: 50_000, rounds: 1 };
const quietWithinMs = 60_000;
const lookEveryMs = 500;
const stalledLooks = 20;

/** `npm run bench -- exports`. */
export const exports: Benchmark<Options> = {
  name: 'exports',
  about:
    'All leads of a store in one response, as NDJSON and CSV, beside a walk over the pages and a bare COPY of PostgreSQL:\n' +
    'rows per second, the memory of each process meanwhile, and what a reader that stalls holds. The full form has a\n' +
    'million leads, and takes about 15 minutes.',
  addOptions: (command: Command) => command.option('--rows <n>', `leads (default: ${full.rows})`, positive),
  async run({ quick, ...options }, { say, signal }) {
    const { rows, rounds } = { ...(quick ? quickly : full), ...options };
    const quietness = watchMachine();
    const { platform, sql, reader, stop } = await openAll(async (stops) => {
      say('Starting the platform.');
      const platform = await startPlatform(root);
      stops.push(platform.stop);
      const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => {} });
      stops.push(() => sql.end());
      const reader = await startPeer(join(import.meta.dirname, 'reader.ts'));
      stops.push(reader.stop);
      return { platform, sql, reader };
    });
    try {
      const machine = await describeMachine(platform);
      const { id: storeId, key } = await platform.newStore({});
      say(`Filling a store with ${rows.toLocaleString('en')} leads.`);
      await fillLeads(platform.databaseUrl, storeId, rows);
      const headers = { 'X-API-Key': key };
      const { origin, databaseUrl } = platform;
      await untilBuilt(databaseUrl, storeId, { origin, path: '/integrations/v1/leads', headers });
      const job: ReadJob = { origin, headers, databaseUrl, storeId };

      const readings: Reading[] = [];
      for (let round = 0; round < rounds; round++) {
        for (const way of rotated(ways, round)) {
          signal.throwIfAborted();
          await untilQuiet(platform.processes, quietWithinMs);
          const before = memoryOf(platform);
          const { result, memory } = await watched(platform, reader.call<ReadResult>(way, job));
          readings.push({ way, before, memory, ...result });
          say(`${way}: ${Math.round((result.rows * 1000) / result.durationMs).toLocaleString('en')} rows/s.`);
        }
      }

      await untilQuiet(platform.processes, quietWithinMs);
      await reader.call('stall', job);
      const transactions: number[] = [];
      const stalled: Memory[] = [];
      await untilQuiet(platform.processes, quietWithinMs);
      for (let look = 0; look < stalledLooks; look++) {
        transactions.push(await openTransactions(sql));
        stalled.push(memoryOf(platform));
        await pause(lookEveryMs, undefined, { signal });
      }
      await reader.call('leave');

      const settings = settingsOf(`${rounds} rounds with ${rows.toLocaleString('en')} leads`, quietness);
      return {
        name: 'exports',
        report: reportExports({ rows, readings, transactions, stalled, settings, machine }),
      };
    } finally {
      say('Stopping.');
      await stop();
    }
  },
};

/** The memory of each process, with shared pages divided among their users. */
function memoryOf({ running }: Platform): Memory {
  const pids = running();
  return Object.fromEntries(measured.map((name) => [name, proportionalMb(pids[name] ?? -1)])) as Memory;
}

/** The result, and the memory while it was made. */
async function watched(platform: Platform, reading: Promise<ReadResult>) {
  const memory: Memory[] = [];
  let isOver = false;
  const result = reading.finally(() => {
    isOver = true;
  });
  // `result` is awaited below, after the last look.
  result.catch(() => {});
  while (!isOver) {
    memory.push(memoryOf(platform));
    await Promise.race([pause(lookEveryMs), result.catch(() => {})]);
  }
  return { result: await result, memory };
}

/** The transactions that crm has open now. */
async function openTransactions(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity where usename like 'crm%' and xact_start is not null`;
  return row?.count ?? 0;
}
