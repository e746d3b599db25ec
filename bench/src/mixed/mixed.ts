import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { type Peer, startPeer } from '@mostrador/local-platform/peer';
import { untilQuiet } from '../shared/backlog.ts';
import type { Benchmark, BenchmarkRun } from '../shared/benchmark.ts';
import type { Caller, OpenLoadJob, OpenLoadResult } from '../shared/load/open-load.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { cpuMsEach, cpuOfAll } from '../shared/processes.ts';
import { settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { day } from './day.ts';
import { fillStores } from './fill.ts';
import { beside, besideRate, neighbourNames } from './neighbour.ts';
import type { Beside, MixedFindings, MixedPlan, MixedStep } from './plan.ts';
import { drawMixed, reportMixed } from './report.ts';

type Sized = {
  readonly stores: number;
  readonly platform: Platform;
  readonly callers: readonly Caller[];
};

const callersAtMost = 200;
const connections = 256;
const quietWithinMs = 60_000;
const warmUpMs = 1_000;
/** Fewer requests are sent beside a flood, so it is measured for longer. */
const besideTimes = 4;

/** A platform is saturated below this share of the requested rate, or above this latency. */
const enough = 0.95;
const tooLateMs = 2_000;

const rates = [50, 100, 200, 300, 400, 600, 800, 1200];
const full: MixedPlan = { seconds: 5, rounds: 3, stores: [10, 1_000, 10_000], rates };
const quickly: MixedPlan = { seconds: 2, rounds: 1, stores: [10, 100], rates: [25, 100, 300] };

/** `npm run bench -- mixed`. */
export const mixed: Benchmark = {
  name: 'mixed',
  about:
    'A store’s day (80 % reads, 10 % updates, 5 % appointments, 5 % messages) at rising load until saturation, with 10,\n' +
    '1,000 and 10,000 stores in the database. Then the p99 of some stores, quiet and beside a store that floods. The full\n' +
    'form takes about 15 minutes and needs an otherwise idle machine.',
  async run({ quick, rounds, seconds }, run) {
    const form = quick ? quickly : full;
    const plan = { ...form, rounds: rounds ?? form.rounds, seconds: seconds ?? form.seconds };
    const findings = await measureMixed({ root, plan }, run);
    return { name: 'mixed', report: reportMixed(findings), drawing: drawMixed(findings) };
  },
};

/** Starts one platform for each number of stores. All of them run all the time, and take turns at every rate. */
async function measureMixed(
  { root, plan }: { root: string; plan: MixedPlan },
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<MixedFindings> {
  const quietness = watchMachine();
  const stops: (() => Promise<void>)[] = [];
  try {
    const sized: Sized[] = [];
    for (const stores of plan.stores) {
      signal.throwIfAborted();
      say(`Starting a platform with ${stores.toLocaleString('en')} stores.`);
      const platform = await startPlatform(root);
      stops.push(platform.stop);
      const callers = await fillStores(platform, stores, callersAtMost, say);
      sized.push({ stores, platform, callers });
    }
    const first = sized[0];
    if (!first) throw new Error('no number of stores was given');
    const load = await startPeer(join(import.meta.dirname, '../shared/load/main.ts'));
    stops.push(load.stop);
    const machine = await describeMachine(first.platform);
    say('Warming up.');
    for (const each of sized) await measure(load, each, plan.rates[0] ?? 50, 3, 0);
    const steps: MixedStep[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      say(`Round ${round + 1} of ${plan.rounds}.`);
      const full = new Set<Sized>();
      for (const rate of plan.rates) {
        for (const each of rotated(sized, round)) {
          signal.throwIfAborted();
          if (full.has(each)) continue;
          const step = await measure(load, each, rate, plan.seconds, round);
          steps.push(step);
          say(
            `${each.stores.toLocaleString('en')} stores, ${rate}/s: ${step.perSecond.toFixed(0)}/s, p99 ${step.all.p99Ms.toFixed(0)} ms`,
          );
          if (step.perSecond < rate * enough || step.all.p99Ms > tooLateMs) full.add(each);
        }
      }
    }
    return {
      plan,
      beside: await measureBeside(first, load, plan, { say, signal }),
      settings: [
        ...settingsOf(
          `${plan.rounds} rounds of ${plan.seconds} s for each rate; the numbers of stores take turns`,
          quietness,
        ),
        `A process on the same cores sends requests for up to ${callersAtMost} random stores over ${connections} connections. Shares of the requests, in percent: ${day.map(({ name, share }) => `${share} \`${name}\``).join(', ')}.`,
      ],
      machine,
      steps,
    };
  } finally {
    say('Stopping.');
    for (let next = stops.pop(); next; next = stops.pop()) await next().catch((error) => console.error(error));
  }
}

/** Measures one platform quiet and beside another store. They take turns to come first. */
async function measureBeside(
  sized: Sized,
  load: Peer,
  plan: MixedPlan,
  { say, signal }: BenchmarkRun,
): Promise<Beside[]> {
  const { platform } = sized;
  const seconds = plan.seconds * besideTimes;
  const all: Beside[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    for (const neighbour of rotated([null, ...neighbourNames], round)) {
      signal.throwIfAborted();
      // A new store: its key has a whole minute of requests left.
      const [caller] = await fillStores(platform, 1, 1, () => {}, { tier: 'pro' });
      if (!caller) throw new Error('the other store was not created');
      await untilQuiet(platform.processes, quietWithinMs);
      const before = cpuOfAll(platform.processes);
      const send = () => sendDay(load, sized, besideRate, seconds, round);
      const step =
        neighbour === null
          ? await send()
          : await beside({ platform, caller, neighbour, seconds: seconds + warmUpMs / 1000 }, send);
      await untilQuiet(platform.processes, quietWithinMs);
      const cpuMs = cpuMsEach(before, platform.processes, step.sent);
      all.push({ ...step, neighbour, cpuMs });
      say(`Other stores beside ${neighbour ?? 'none'}: p99 ${step.all.p99Ms.toFixed(0)} ms`);
    }
  }
  return all;
}

async function measure(load: Peer, sized: Sized, rate: number, seconds: number, round: number): Promise<MixedStep> {
  const result = await sendDay(load, sized, rate, seconds, round);
  // Open workflows must not slow down the next measurement.
  await untilQuiet(sized.platform.processes, quietWithinMs);
  return { ...result, stores: sized.stores, rate, round };
}

const sendDay = (load: Peer, { platform, callers }: Sized, rate: number, seconds: number, round: number) =>
  load.call<OpenLoadResult>('runOpen', {
    origin: platform.origin,
    kinds: day,
    callers,
    perSecond: rate,
    connections,
    warmUpMs,
    durationMs: seconds * 1000,
    seed: round + 1,
  } satisfies OpenLoadJob);
