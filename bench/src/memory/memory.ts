import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import { startPeer } from '@mostrador/local-platform/peer';
import type { Command } from 'commander';
import { day } from '../mixed/day.ts';
import { fillStores } from '../mixed/fill.ts';
import { untilQuiet } from '../shared/backlog.ts';
import { type Benchmark, type BenchmarkOptions, positive } from '../shared/benchmark.ts';
import type { OpenLoadJob, OpenLoadResult } from '../shared/load/open-load.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { servers, startPlatform } from '../shared/platform.ts';
import { type Named, proportionalMb, residentMb } from '../shared/processes.ts';
import { settingsOf } from '../shared/report.ts';
import { openAll } from '../shared/stops.ts';
import { type LoadedSample, type MemorySample, reportMemory } from './report.ts';

type Options = BenchmarkOptions & { readonly rate?: number };

// Short rounds, because the gateway closes a connection on which no request comes.
const full = { rounds: 180, seconds: 20 };
const quickly = { rounds: 3, seconds: 5 };
const defaultRate = 50;
const stores = 100;
const connections = 64;
/** A process has done by then what it does after its start, and after a load. */
const idleForMs = 30_000;
const quietWithinMs = 60_000;

/** `npm run bench -- memory`. */
export const memory: Benchmark<Options> = {
  name: 'memory',
  about:
    'The memory of each process: idle after its start, during an hour of a store’s day at a steady rate, and idle after\n' +
    'that. The full form takes about 65 minutes, and needs a machine that keeps up with the rate.',
  addOptions: (command: Command) =>
    command.option('--rate <n>', `requests a second (default: ${defaultRate})`, positive),
  async run({ quick, rate = defaultRate, ...options }, { say, signal }) {
    const { rounds, seconds } = { ...(quick ? quickly : full), ...options };
    const quietness = watchMachine();
    const { platform, load, stop } = await openAll(async (stops) => {
      say(
        'Starting a platform once to fill its caches: stripping types and bundling workflows would add to the memory.',
      );
      await (await startPlatform(root)).stop();
      say('Starting the platform.');
      const platform = await startPlatform(root);
      stops.push(platform.stop);
      const load = await startPeer(join(import.meta.dirname, '../shared/load/main.ts'));
      stops.push(load.stop);
      return { platform, load };
    });
    const { origin, processes } = platform;
    const whenIdle = async () => {
      await untilQuiet(processes, quietWithinMs);
      await pause(idleForMs, undefined, { signal });
      return sampleOf(processes);
    };
    try {
      const machine = await describeMachine(platform);
      const before = await whenIdle();
      const callers = await fillStores(platform, stores, stores, say);
      const loaded: LoadedSample[] = [];
      for (let round = 0; round < rounds; round++) {
        signal.throwIfAborted();
        const result = await load.call<OpenLoadResult>('runOpen', {
          ...{ origin, kinds: day, callers, connections, perSecond: rate },
          ...{ warmUpMs: 0, durationMs: seconds * 1000, seed: round + 1 },
        } satisfies OpenLoadJob);
        const sample = { ...sampleOf(processes), result };
        loaded.push(sample);
        if (round % 15 === 0) say(`Round ${round + 1} of ${rounds}: ${Math.round(sample.togetherMb)} MB in all.`);
      }
      const rates = `${rounds} rounds of ${seconds} s, each with ${rate} requests/s; the end is the last sixth of them`;
      const findings = {
        ...{ rate, seconds, machine, before, loaded },
        after: await whenIdle(),
        settings: settingsOf(rates, quietness),
      };
      return { name: 'memory', report: reportMemory(findings) };
    } finally {
      say('Stopping.');
      await stop();
    }
  },
};

const sampleOf = (processes: Named): MemorySample => ({
  ofEach: Object.fromEntries(
    Object.entries(processes).map(([name, pid]) => [name, (servers.includes(name) ? proportionalMb : residentMb)(pid)]),
  ),
  togetherMb: Object.values(processes).reduce((sum, pid) => sum + proportionalMb(pid), 0),
});
