import type { Command } from 'commander';
import { root } from '../../../infra/local/paths.ts';
import { untilQuiet } from '../shared/backlog.ts';
import { type Benchmark, type BenchmarkOptions, positive } from '../shared/benchmark.ts';
import { describeMachine, loadAverage } from '../shared/machine.ts';
import { serverNiceness, servers, startPlatform } from '../shared/platform.ts';
import { rotated } from '../shared/statistics.ts';
import { type FallenDue, fallDue } from './fall-due.ts';
import { footprintOf } from './footprint.ts';
import { killEach } from './kills.ts';
import type { FollowupPlan } from './plan.ts';
import { type FollowupFindings, reportFollowups } from './report.ts';
import { fill, type Scheduled, scheduleMany, startBare } from './schedule.ts';
import { openFollowupStage } from './stage.ts';

/** Each lead has one that falls due: its channel's rate for one customer has no say. */
const leadsOf = ({ due }: FollowupPlan): number => due;
const quietWithinMs = 30_000;

type Options = BenchmarkOptions & { readonly pending?: number; readonly seed?: number };

const full: FollowupPlan = {
  ...{ rounds: 5, batch: 500, pending: 100_000 },
  ...{ due: 1_000, dueOverMs: 60_000, dueRounds: 3, seed: 1 },
};
const quickly: FollowupPlan = {
  ...{ rounds: 1, batch: 100, pending: 300 },
  ...{ due: 60, dueOverMs: 5_000, dueRounds: 1, seed: 1 },
};

/** `npm run bench -- followups`. */
export const followups: Benchmark<Options> = {
  name: 'followups',
  about:
    'Scheduling follow-ups beside bare workflows, and how late they are when many wait and some fall due, on a platform\n' +
    'of its own; then some fall due while every process and server is killed twice. The full form takes about an hour,\n' +
    'most of it until so many wait, and wants a machine that does nothing else.',
  addOptions: (command: Command) =>
    command
      .option('--pending <n>', 'how many are pending while others fall due', positive)
      .option('--seed <n>', 'of the kills', positive),
  async run({ quick, rounds, pending, seed }, run) {
    const form = quick ? quickly : full;
    const plan = {
      ...form,
      rounds: rounds ?? form.rounds,
      pending: pending ?? form.pending,
      seed: seed ?? form.seed,
    };
    const findings = await measureFollowups({ root, plan }, run);
    return { part: 'followups', text: reportFollowups(findings), raw: findings };
  },
};

/** Schedules beside bare workflows, fills a store, and lets some fall due. */
async function measureFollowups(
  { root, plan }: { root: string; plan: FollowupPlan },
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<FollowupFindings> {
  const loadBefore = loadAverage();
  say('Starting a platform once, for its caches: a process that strips types holds memory for it.');
  await (await startPlatform(root)).stop();
  say('Starting a platform and the bare workflows beside it.');
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
      settings: [
        `${new Date().toISOString().slice(0, 10)}; median (least–greatest) of ${plan.rounds} rounds of scheduling and ${plan.dueRounds} of falling due. Load average of the machine before: ${loadBefore}.`,
        `${servers.join(', ')} run at niceness ${serverNiceness}, everything else at 0, for every variant alike.`,
      ],
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
