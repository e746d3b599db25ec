import { resolve } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import type { Command } from 'commander';
import { type Benchmark, type BenchmarkOptions, positive, someOf } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { servers, startPlatform } from '../shared/platform.ts';
import { residentMb } from '../shared/processes.ts';
import { settingsOf } from '../shared/report.ts';
import { type Drains, drainRound } from './drain.ts';
import {
  type Measurements,
  mainConcurrency,
  measureRound,
  type Part,
  type Plan,
  variantsOf,
  warmUp,
} from './measure.ts';
import { profileAppointments } from './profile/profile-appointments.ts';
import { type Findings, reportAppointments } from './report.ts';
import { openStage, type Stage } from './stage.ts';

type Options = BenchmarkOptions & {
  readonly profile?: boolean;
  readonly concurrency?: number[];
  readonly only?: Part[];
  readonly against?: string;
  readonly nodeOptions?: string;
};

type Run = {
  readonly root: string;
  readonly against?: string;
  readonly nodeOptions?: string;
  readonly plan: Plan;
};

const warmUpSeconds = 3;
const warmUpWorkflows = 100;

const full = { rounds: 3, seconds: 3, concurrencies: [1, 8, 32, 128], drained: 500 };
const quickly = { rounds: 1, seconds: 1, concurrencies: [1, 8, 32, 128], drained: 200 };
const allParts: Part[] = ['post', 'get', 'drain'];

/** `npm run bench -- appointments`. */
export const appointments: Benchmark<Options> = {
  name: 'appointments',
  about:
    'Creates and reads appointments and drains their workflows, against bare servers that do only the core of it, on a\n' +
    'separate platform. The full form takes about 10 minutes and needs an otherwise idle machine.',
  addOptions: (command: Command) =>
    command
      .option('--profile', 'profile the processor time of the gateway and scheduling instead of measuring')
      .option('--concurrency <list>', 'numbers of concurrent callers, separated by commas', (text) =>
        text.split(',').map(positive),
      )
      .option('--only <parts>', `some of ${allParts.join(', ')}`, someOf(allParts))
      .option('--against <folder>', 'another checkout of this repository to measure beside this one')
      .option('--node-options <flags>', "NODE_OPTIONS of the platform's processes, to try settings of V8"),
  async run({ quick, profile, rounds, seconds, concurrency, only, against, nodeOptions }, run) {
    if (profile) {
      const asked = { root, seconds: seconds ?? 5, concurrency: mainConcurrency, say: run.say };
      const sections = await profileAppointments(asked);
      return { name: 'appointments-profile', report: { settings: [], machine: [], sections } };
    }
    const form = quick ? quickly : full;
    const plan = {
      rounds: rounds ?? form.rounds,
      seconds: seconds ?? form.seconds,
      concurrencies: concurrency ?? form.concurrencies,
      drained: form.drained,
      parts: only ?? allParts,
    };
    const other = against === undefined ? undefined : resolve(against);
    const findings = await measureAppointments({ root, against: other, nodeOptions, plan }, run);
    return { name: 'appointments', report: reportAppointments(findings) };
  },
};

/** Starts everything, measures in rounds that rotate the variants, and stops everything. */
async function measureAppointments(
  { root, against, nodeOptions, plan }: Run,
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<Findings> {
  const startedAt = performance.now();
  const quietness = watchMachine();
  say('Starting a platform once to fill its caches: stripping types and bundling workflows would add to the memory.');
  await (await startPlatform(root, nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions })).stop();
  say('Starting a platform and the baselines.');
  const stage = await openStage({ root, against, nodeOptions });
  try {
    const machine = await describeMachine(stage.main.platform);
    const variants = await variantsOf(stage, plan);
    const measurements: Measurements = new Map();
    const drains: Drains = { platform: [], other: [], bare: [] };
    say('Warming up.');
    await warmUp(stage, variants, Math.min(warmUpSeconds, plan.seconds * 2));
    const drained = { platform: [], other: [], bare: [] };
    if (plan.parts.includes('drain')) await drainRound(stage, warmUpWorkflows, 0, drained);
    const warm = memoryOf(stage);
    for (let round = 0; round < plan.rounds; round++) {
      say(`Round ${round + 1} of ${plan.rounds}, after ${Math.round((performance.now() - startedAt) / 1000)} s.`);
      signal.throwIfAborted();
      await measureRound(stage, variants, plan, round, measurements, say);
      signal.throwIfAborted();
      if (plan.parts.includes('drain')) await drainRound(stage, plan.drained, round, drains);
    }
    const end = memoryOf(stage);
    return {
      settings: [
        ...settingsOf(`${plan.rounds} rounds of ${plan.seconds} s; a round measures every variant once`, quietness),
        'A closed loop: each caller has one connection and sends its next request after the previous answer. The callers run in a separate process on the same cores.',
        ...(nodeOptions === undefined ? [] : [`The platform's processes run with NODE_OPTIONS="${nodeOptions}".`]),
      ],
      machine,
      concurrencies: [...new Set([...plan.concurrencies, mainConcurrency])].sort((a, b) => a - b),
      measurements,
      drains,
      memory: Object.fromEntries(
        Object.entries(warm).map(([name, megabytes]) => [name, { warm: megabytes, end: end[name] ?? Number.NaN }]),
      ),
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}

function memoryOf({ main }: Stage): Record<string, number> {
  const nodes = Object.entries(main.platform.processes).filter(([name]) => !servers.includes(name));
  return Object.fromEntries(nodes.map(([name, pid]) => [name, residentMb(pid)]));
}
