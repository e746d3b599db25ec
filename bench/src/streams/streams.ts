import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import { type Peer, startPeer } from '@mostrador/local-platform/peer';
import type { Command } from 'commander';
import postgres from 'postgres';
import { untilQuiet } from '../shared/backlog.ts';
import { type Benchmark, type BenchmarkOptions, positive } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll, residentMb } from '../shared/processes.ts';
import { settingsOf } from '../shared/report.ts';
import { openAll } from '../shared/stops.ts';
import type { OpenJob, Seen } from './clients.ts';
import { endSessions, fillSessions } from './fill.ts';
import { reportStreams, type StreamsFindings } from './report.ts';

type Options = BenchmarkOptions & { readonly streams?: number };

const full = { streams: 10_000, seconds: 30 };
const quickly = { streams: 1_000, seconds: 5 };
/** Streams whose sessions are ended. */
const revokedShare = 0.01;
const quietWithinMs = 60_000;
const withinMs = 120_000;
const lookEveryMs = 10;
const checkSubject = 'accounts.platform.sessions.check';

/** `npm run bench -- streams`. */
export const streams: Benchmark<Options> = {
  name: 'streams',
  about:
    'Open consoles: streams of as many people on one gateway, what they cost at rest, a kill and a restart of accounts,\n' +
    'the end of some sessions and one event for a store. Needs two open files a stream (`ulimit -n`). The full form takes\n' +
    'about 4 minutes.',
  addOptions: (command: Command) => command.option('--streams <n>', `streams (default: ${full.streams})`, positive),
  async run({ quick, ...options }, { say, signal }) {
    const { streams: count, seconds } = { ...(quick ? quickly : full), ...options };
    const quietness = watchMachine();
    const { platform, sql, clients, stop } = await openAll(async (stops) => {
      say('Starting the platform.');
      const platform = await startPlatform(root, { MAX_CONNECTIONS: String(count + 1_000) });
      stops.push(platform.stop);
      const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => {} });
      stops.push(() => sql.end());
      const clients = await startPeer(join(import.meta.dirname, 'clients.ts'));
      stops.push(clients.stop);
      return { platform, sql, clients };
    });
    try {
      const machine = await describeMachine(platform);
      const store = await platform.newStore({});
      const { tokens, inStore } = await fillSessions(sql, count, store.id);
      await untilQuiet(platform.processes, quietWithinMs);
      const seen = () => clients.call<Seen>('seen');
      const before = memoryOf(platform);

      say(`Opening ${count} streams.`);
      const openedFor = await durationOf(() =>
        clients.call('open', { origin: platform.origin, tokens } satisfies OpenJob),
      );
      const atRest = await restOf(platform, seconds, signal);
      say(`At rest: ${atRest.checksPerSecond.toFixed(1)} requests/s to accounts.`);

      say('Killing accounts. The supervisor starts it again.');
      const awayFor = await durationOf(() => killAccounts(platform));
      await pause(seconds * 1000, undefined, { signal });
      const { ended } = await seen();
      say(`${ended} streams have ended.`);

      const revoked = Math.max(1, Math.round(count * revokedShare));
      const sinceMs = Date.now();
      await endSessions(sql, tokens.slice(-revoked));
      const afterEnd = await until(clients, (each) => each.ended >= ended + revoked);
      const writtenMs = await createLead(platform, store.key);
      const afterEvent = await until(clients, ({ withEvent }) => withEvent >= inStore);
      await pause(2_000);

      const findings: StreamsFindings = {
        ...{ count, machine, before, after: memoryOf(platform), openedFor, atRest, awayFor, ended, revoked, inStore },
        settings: settingsOf(`one round of ${count.toLocaleString('en')} streams`, quietness),
        endedTooMany: (await seen()).ended - ended - revoked,
        revokedWithinMs: afterEnd.lastEndMs - sinceMs,
        heard: afterEvent.withEvent,
        heardWithinMs: afterEvent.lastEventMs - writtenMs,
      };
      return { name: 'streams', report: reportStreams(findings) };
    } finally {
      say('Stopping.');
      await clients.call('close').catch(() => {});
      await stop();
    }
  },
};

const memoryOf = ({ running }: Platform): Record<string, number> => {
  const { gateway = -1, accounts = -1, events = -1 } = running();
  return { gateway: residentMb(gateway), accounts: residentMb(accounts), events: residentMb(events) };
};

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const sinceMs = performance.now();
  await work();
  return performance.now() - sinceMs;
}

/** The answered requests about sessions of streams, as accounts counts them. */
async function checksOf(platform: Platform): Promise<number> {
  const text = await (await fetch(platform.metricsUrl('accounts'))).text();
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith('mostrador_rpc_duration_seconds_count{') && line.includes(checkSubject));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function restOf(platform: Platform, seconds: number, signal: AbortSignal): Promise<StreamsFindings['atRest']> {
  await pause(2_000, undefined, { signal });
  const [checks, cpu] = [await checksOf(platform), cpuOfAll(platform.running())];
  await pause(seconds * 1000, undefined, { signal });
  return {
    checksPerSecond: ((await checksOf(platform)) - checks) / seconds,
    cpuMsPerSecond: cpuMsEach(cpu, platform.running(), seconds),
  };
}

/** Resolves when another process of accounts is ready. */
async function killAccounts(platform: Platform): Promise<void> {
  const { accounts: pid = -1 } = platform.running();
  process.kill(pid, 'SIGKILL');
  const readyUrl = new URL('/readyz', platform.metricsUrl('accounts'));
  for (const untilMs = Date.now() + withinMs; Date.now() < untilMs; await pause(lookEveryMs)) {
    const isReady = await fetch(readyUrl)
      .then(({ ok }) => ok)
      .catch(() => false);
    if (isReady && platform.running().accounts !== pid) return;
  }
  throw new Error('accounts was not ready again');
}

/** What the streams have seen when the condition holds, or when it has not for two minutes. */
async function until(clients: Peer, condition: (seen: Seen) => boolean): Promise<Seen> {
  for (const untilMs = Date.now() + withinMs; ; await pause(lookEveryMs)) {
    const seen = await clients.call<Seen>('seen');
    if (condition(seen) || Date.now() > untilMs) return seen;
  }
}

/** Sends it again when the platform is too busy for it. Returns when the accepted one was sent. */
async function createLead({ origin }: Platform, key: string): Promise<number> {
  const request = {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ name: 'Ana', customer_phone: '5511912345678' }),
  };
  for (const untilMs = Date.now() + withinMs; ; ) {
    const sentMs = Date.now();
    const { ok, status } = await fetch(`${origin}/integrations/v1/leads`, request);
    if (ok) return sentMs;
    if (Date.now() > untilMs) throw new Error(`the lead got ${status}`);
    await pause(1_000);
  }
}
