import { type Report, ratioCell, spread, spreadMs } from '../shared/report.ts';
import { spreadOf } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import type { FallenDue } from './fall-due.ts';
import type { Footprint } from './footprint.ts';
import type { FollowupPlan } from './plan.ts';
import type { Scheduled } from './schedule.ts';

export type FollowupFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly plan: FollowupPlan;
  readonly scheduled: { readonly platform: readonly Scheduled[]; readonly bare: readonly number[] };
  readonly filledPerSecond: number;
  readonly before: Footprint;
  readonly filled: Footprint;
  readonly after: Footprint;
  readonly due: readonly FallenDue[];
  /** One more round with kills; the names are in the order of the kills. */
  readonly killed: { readonly kills: readonly string[]; readonly fallen: FallenDue };
};

const lateTargetMs = 2_000;

export function reportFollowups(findings: FollowupFindings): Report {
  const { plan, due } = findings;
  const many = plan.pending.toLocaleString('en');
  const late = due.every(({ allWaited }) => allWaited)
    ? []
    : ['The first follow-up fell due before all were scheduled.'];
  return {
    ...findings,
    sections: [
      [
        `Targets, with ${many} pending, when ${plan.due.toLocaleString('en')} fall due within ${plan.dueOverMs / 1000} s`,
        targets(findings),
        ...late,
      ],
      ['From the due time to the delivery', lateness(findings)],
      ['With every process and server killed', killed(findings)],
      ['Scheduling', scheduling(findings)],
      ['Disk space of a pending follow-up', disk(findings)],
      ['Memory', memory(findings)],
      ['Processor time of a follow-up that falls due, in milliseconds', processorTime(findings)],
    ],
  };
}

function targets({ due }: FollowupFindings): string {
  const p99 = due.map(({ lateMs }) => lateMs.p99);
  const sum = (pick: (each: FallenDue) => number) => due.reduce((all, each) => all + pick(each), 0);
  const row = (what: string, measured: string, target: string, reached: boolean) => [
    what,
    measured,
    target,
    reached ? 'reached' : 'missed',
  ];
  const none = (what: string, count: number) => row(what, String(count), '0', count === 0);
  return table(
    ['what', 'measured', 'target', ''],
    [
      none(
        'sent before the due time',
        sum(({ early }) => early),
      ),
      none(
        'not sent',
        // These rounds have no kills, so there is nothing to settle as failed.
        sum(({ lost, givenUp }) => lost + givenUp),
      ),
      none('sent twice', due.at(-1)?.twice ?? Number.NaN),
      row('lateness, p99', spreadMs(p99), `< ${lateTargetMs} ms`, spreadOf(p99).median < lateTargetMs),
    ],
  );
}

function killed({ killed: { kills, fallen }, plan }: FollowupFindings): string {
  const { early, lost, twice, givenUp, lateMs } = fallen;
  const rows = [
    ['not sent', String(lost)],
    ['sent twice', String(twice)],
    ['sent before the due time', String(early)],
    ['outcome unknown and not delivered, settled as failed', String(givenUp)],
    ['lateness, p50', `${Math.round(lateMs.p50)} ms`],
    ['lateness, p99', `${Math.round(lateMs.p99)} ms`],
  ];
  return `${plan.due.toLocaleString('en')} more fell due within ${plan.dueOverMs / 1000} s, while the benchmark sent SIGKILL in this order (\`--seed ${plan.seed}\`): ${kills.join(', ')}.\n\n${table(['what', 'measured'], rows)}`;
}

function lateness({ due }: FollowupFindings): string {
  const row = (what: string, pick: (each: FallenDue) => FallenDue['lateMs']) => [
    what,
    ...(['p50', 'p99', 'max'] as const).map((name) => spreadMs(due.map((each) => pick(each)[name]))),
  ];
  return table(
    ['', 'p50', 'p99', 'maximum'],
    [row('claimed (no longer cancellable)', (each) => each.claimedMs), row('sent', (each) => each.lateMs)],
  );
}

function scheduling({ scheduled: { platform, bare }, plan, filledPerSecond }: FollowupFindings): string {
  const waiting = platform.map(({ waitingPerSecond }) => waitingPerSecond);
  const accepted = platform.map(({ acceptedPerSecond }) => acceptedPerSecond);
  const batch = plan.batch.toLocaleString('en');
  return table(
    ['what', 'a second', 'platform ÷ this'],
    [
      [`platform: all ${batch} workflows wait`, spread(waiting), ''],
      [`bare signal-with-start, activity and timer, ${batch} times`, spread(bare), ratioCell(waiting, bare)],
      ['platform: answered with 201', spread(accepted), ''],
      [`platform: up to ${plan.pending.toLocaleString('en')} pending`, spread([filledPerSecond]), ''],
    ],
  );
}

function disk({ before, filled, plan }: FollowupFindings): string {
  return table(
    ['what', 'bytes each', 'all'],
    Object.entries(filled.disk).map(([name, bytes]) => {
      const grown = bytes - (before.disk[name] ?? 0);
      return [name, Math.round(grown / plan.pending).toLocaleString('en'), `${(grown / 1024 ** 2).toFixed(1)} MB`];
    }),
  );
}

function memory({ before, filled, after, plan }: FollowupFindings): string {
  return table(
    ['process', 'before', 'with all pending', 'each', 'after some fell due'],
    Object.entries(filled.memoryMb).map(([name, megabytes]) => {
      const was = before.memoryMb[name] ?? 0;
      return [
        name,
        `${was.toFixed(0)} MB`,
        `${megabytes.toFixed(0)} MB`,
        `${(((megabytes - was) * 1024) / plan.pending).toFixed(2)} KB`,
        `${(after.memoryMb[name] ?? 0).toFixed(0)} MB`,
      ];
    }),
  );
}

function processorTime({ due }: FollowupFindings): string {
  const names = Object.keys(due[0]?.cpuMs ?? {});
  const all = due.map(({ cpuMs }) => Object.values(cpuMs).reduce((sum, each) => sum + each, 0));
  return table(
    ['process', 'of each'],
    [...names.map((name) => [name, spread(due.map(({ cpuMs }) => cpuMs[name] ?? 0))]), ['all', spread(all)]],
  );
}
