import { root } from '@mostrador/local-platform/paths';
import type { Command } from 'commander';
import { untilQuiet } from '../shared/backlog.ts';
import { type Benchmark, type BenchmarkOptions, positive } from '../shared/benchmark.ts';
import { killEach } from '../shared/kills.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { type FallenDue, fallDue } from './fall-due.ts';
import { footprintOf } from './footprint.ts';
import type { FollowupPlan } from './plan.ts';
import { type FollowupFindings, reportFollowups } from './report.ts';
import { fill, type Scheduled, scheduleMany, startBare } from './schedule.ts';
import { openFollowupStage } from './stage.ts';

/** One lead per follow-up that falls due, so that the rate limit per customer does not apply. */
const leadsOf = ({ due }: FollowupPlan): number => due;
const quietWithinMs = 30_000;

type Options = BenchmarkOptions & { readonly pending?: number; readonly seed?: number };

const full: FollowupPlan = {
  ...{ rounds: 3, batch: 500, pending: 10_000 },
  ...{ due: 1_000, dueOverMs: 60_000, dueRounds: 2, seed: 1 },
};
const quickly: FollowupPlan = {
  ...{ rounds: 1, batch: 100, pending: 300 },
  ...{ due: 60, dueOverMs: 5_000, dueRounds: 1, seed: 1 },
};

/** `npm run bench -- followups`. */
export const followups: Benchmark<Options> = {
  name: 'followups',
  about:
    'Schedules follow-ups beside bare workflows, and measures how late some are sent while many are pending, on a\n' +
    'separate platform. Then some fall due while every process and server is killed twice. The full form takes about\n' +
    '15 minutes, and `--pending 100000` about an hour. It needs an otherwise idle machine.',
  addOptions: (command: Command) =>
    command
      .option('--pending <n>', 'how many are pending while others fall due', positive)
      .option('--seed <n>', 'seed of the random kills', positive),
  async run({ quick, rounds, pending, seed }, run) {
    const form = quick ? quickly : full;
    const plan = {
      ...form,
      rounds: rounds ?? form.rounds,
      pending: pending ?? form.pending,
      seed: seed ?? form.seed,
    };
    const findings = await measureFollowups({ root, plan }, run);
    return { name: 'followups', report: reportFollowups(findings) };
  },
};

/** Schedules follow-ups beside bare workflows, fills a store, and lets some fall due. */
async function measureFollowups(
  { root, plan }: { root: string; plan: FollowupPlan },
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<FollowupFindings> {
  const quietness = watchMachine();
  say('Starting a platform once to fill its caches: stripping types would add to the memory.');
  await (await startPlatform(root)).stop();
  say('Starting a platform and the bare workflows.');
  const stage = await openFollowupStage(root, leadsOf(plan));
  const { processes } = stage.platform;
  try {
    const machine = await describeMachine(stage.platform);
    say('Warming up.');
    await scheduleMany(stage, plan.batch);
    await startBare(stage, plan.batch);
    const [platform, bare]: [Scheduled[], number[]] = [[], []];
    for (let round = 0; round < plan.rounds; round++) {
      const variants = [
        async () => void platform.push(await scheduleMany(stage, plan.batch)),
        async () => void bare.push(await startBare(stage, plan.batch)),
      ];
      for (const variant of rotated(variants, round)) {
        signal.throwIfAborted();
        await variant();
        await untilQuiet(processes, quietWithinMs);
      }
      say(`Round ${round + 1}: ${platform.at(-1)?.waitingPerSecond.toFixed(1)}/s, bare ${bare.at(-1)?.toFixed(1)}/s.`);
    }
    await stage.stopBare();
    const before = await footprintOf(stage);
    const filledPerSecond = await fill(stage, plan.pending, { say, signal });
    await untilQuiet(processes, quietWithinMs);
    const filled = await footprintOf(stage);
    const options = { count: plan.due, overMs: plan.dueOverMs, perSecond: filledPerSecond };
    const due: FallenDue[] = [];
    for (let round = 0; round < plan.dueRounds; round++) {
      signal.throwIfAborted();
      await untilQuiet(processes, quietWithinMs);
      const fallen = await fallDue(stage, options);
      due.push(fallen);
      say(`${plan.due} fell due: p99 ${Math.round(fallen.lateMs.p99)} ms late, ${fallen.early} early.`);
    }
    const after = await footprintOf(stage);
    await untilQuiet(processes, quietWithinMs);
    let kills: string[] = [];
    const meanwhile = async () => {
      kills = await killEach(stage.platform, plan.dueOverMs, plan.seed);
    };
    const fallen = await fallDue(stage, { ...options, meanwhile });
    say(`${plan.due} fell due while ${kills.join(', ')} were killed: ${fallen.lost} lost, ${fallen.twice} twice.`);
    return {
      plan,
      settings: settingsOf(`${plan.rounds} rounds of scheduling and ${plan.dueRounds} of falling due`, quietness),
      machine,
      scheduled: { platform, bare },
      filledPerSecond,
      before,
      filled,
      after,
      due,
      killed: { kills, fallen },
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}
