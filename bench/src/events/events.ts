import type { Command } from 'commander';
import { root } from '../../../infra/local/paths.ts';
import { untilQuiet } from '../shared/backlog.ts';
import { type Benchmark, type BenchmarkOptions, type BenchmarkRun, positive } from '../shared/benchmark.ts';
import { describeMachine, loadAverage } from '../shared/machine.ts';
import { settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { type Appended, appendMany, insertMany } from './append.ts';
import { type Follow, follow, readers } from './follow.ts';
import { type EventsFindings, type EventsPlan, reportEvents } from './report.ts';
import { openEventsStage } from './stage.ts';

const quietWithinMs = 30_000;

type Options = BenchmarkOptions & { readonly rate?: number };

const full: EventsPlan = { rounds: 5, seconds: 10, rate: 200 };
const quickly: EventsPlan = { rounds: 1, seconds: 2, rate: 50 };

/** `npm run bench -- events`. */
export const events: Benchmark<Options> = {
  name: 'events',
  about:
    'Appends events to feeds, against bare inserts, and measures how long a change takes to readers of the feed, on a\n' +
    'separate platform. The full form takes about 5 minutes and needs an otherwise idle machine.',
  addOptions: (command: Command) =>
    command.option('--rate <n>', 'changes per second while a reader follows the feed', positive),
  async run({ quick, rounds, seconds, rate }, run) {
    const form = quick ? quickly : full;
    const plan = { rounds: rounds ?? form.rounds, seconds: seconds ?? form.seconds, rate: rate ?? form.rate };
    const findings = await measureEvents(plan, run);
    return { name: 'events', report: reportEvents(findings), raw: findings };
  },
};

/** Measures one platform and its floor in alternating rounds. */
async function measureEvents(plan: EventsPlan, { say, signal }: BenchmarkRun): Promise<EventsFindings> {
  const loadBefore = loadAverage();
  say('Starting a platform.');
  const stage = await openEventsStage(root);
  try {
    const machine = await describeMachine(stage.platform);
    say('Warming up.');
    await appendMany(stage, 1);
    await insertMany(stage, 1);
    const [appended, inserted, followed]: [Appended[], Appended[], Follow[]] = [[], [], []];
    for (let round = 0; round < plan.rounds; round++) {
      const variants = [
        async () => void appended.push(await appendMany(stage, plan.seconds)),
        async () => void inserted.push(await insertMany(stage, plan.seconds)),
        ...readers.map((by) => async () => void followed.push(await follow(stage, { by, ...plan }))),
      ];
      for (const variant of rotated(variants, round)) {
        signal.throwIfAborted();
        await untilQuiet(stage.processes, quietWithinMs);
        await variant();
      }
      const p99 = followed.slice(-readers.length).map((each) => `${each.by} p99 ${each.p99Ms} ms`);
      say(`Round ${round + 1}: ${appended.at(-1)?.perSecond.toFixed(0)} events/s appended, ${p99.join(', ')}.`);
    }
    return {
      plan,
      settings: settingsOf(`${plan.rounds} rounds; the variants take turns`, loadBefore),
      machine,
      ...{ appended, inserted, followed },
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}
