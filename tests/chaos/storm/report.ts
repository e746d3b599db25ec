import { ratioCell, spreadMs } from '../../../bench/src/shared/report.ts';
import { lateAfterMs } from './ask.ts';
import { damages } from './damages.ts';
import { holds, latenessMs, type Outcome } from './run.ts';

const shownOfEach = 20;

const faultsOf = ({ findings }: Pick<Outcome, 'findings'>, verdict: 'lost' | 'doubled' | 'broken'): number =>
  findings.reduce((sum, finding) => sum + (finding.verdict === verdict ? finding.faults.length : 0), 0);

/** The figures of a run, by name. */
export function figuresOf(seed: number, outcome: Outcome): [string, string | number][] {
  const { faults, left, journal, made, drained, minutes, findings, blind, untried } = outcome;
  const { counts, entries, latest } = journal;
  const unresolved = entries.filter(({ acknowledged }) => acknowledged === undefined).length;
  const tried = findings.length;
  const never = journal.late.filter(({ status }) => status === 0);
  return [
    ['seed', seed],
    ['minutes', minutes.toFixed(1)],
    ['faults', `${faults.length} of ${new Set(faults).size} kinds`],
    ...left.map((what): [string, string] => ['skipped', what]),
    ['requests', counts.requests],
    ['acknowledged', `${counts.acknowledged} (${counts.replayed} of them replays)`],
    ['unavailable', `${counts.unavailable} (503: nothing was done)`],
    ['unknown', `${counts.unknown} (504 or a broken connection)`],
    ['too late', `${counts.refused} (409: the state had changed)`],
    ['changed by another program', `${counts.inCalendars} events in a calendar`],
    ['keys', `${entries.length}, of which clients gave up ${unresolved}`],
    ...Object.entries(made),
    ...besideCrowd(journal),
    ['settled by hand', `${drained.settledByHand} messages of unknown outcome`],
    ['drained', `${drained.seconds.toFixed(1)} s after the last fault`],
    [
      'slowest answer',
      `${Math.abs(latest.ms).toFixed(0)} ms ${latest.ms > 0 ? 'after' : 'before'} its deadline (${latest.what})`,
    ],
    [
      'late',
      `${journal.late.length} had no answer ${lateAfterMs} ms after their deadline, ${never.length} of these never got one`,
    ],
    ...journal.late.slice(0, shownOfEach).map(({ what }): [string, string] => ['', what]),
    [
      'invariants',
      `${tried}, of which ${tried - findings.filter(({ faults: found }) => found.length > 0).length} held`,
    ],
    ['damages tried', `${damages.length - untried.length}, of which ${blind.length} were not found`],
    ['lost', faultsOf(outcome, 'lost')],
    ['duplicated', faultsOf(outcome, 'doubled')],
    ['other violations', faultsOf(outcome, 'broken') + journal.unexpected.length],
  ];
}

function besideCrowd({ besideCrowd: measured }: Outcome['journal']): [string, string][] {
  if (measured.length === 0) return [];
  const [before, beside] = [measured.map((one) => one.before.p99Ms), measured.map((one) => one.beside.p99Ms)];
  const least = Math.min(...measured.flatMap((one) => [one.before.requests, one.beside.requests]));
  return [
    ['p99 of the other stores', `before the hanging numbers ${spreadMs(before)}, beside them ${spreadMs(beside)}`],
    [
      'ratio of these',
      `${ratioCell(beside, before)}, measured ${measured.length} × with at least ${least} requests each`,
    ],
  ];
}

/** Renders a run for the terminal. */
export function reportOf(seed: number, outcome: Outcome): string {
  const { findings, journal, blind, untried } = outcome;
  return [
    '',
    ...figuresOf(seed, outcome).map(([name, value]) => `${name.padEnd(34)}${value}`),
    ...findings.flatMap(({ invariant, faults }) => list(`Does not hold: ${invariant}`, faults)),
    ...list('Unexpected', journal.unexpected),
    ...list('Damages that no invariant reported', blind),
    ...list('Damages that did not apply to this run', untried),
    ...(journal.latest.ms > latenessMs ? ['', `An answer came more than ${latenessMs} ms after its deadline.`] : []),
    '',
    holds(outcome) ? 'Nothing was lost or duplicated, and every invariant held.' : 'FAILED',
  ].join('\n');
}

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0
    ? []
    : [
        '',
        `${title}:`,
        ...lines.slice(0, shownOfEach).map((line) => `  ${line}`),
        ...(lines.length > shownOfEach ? [`  … and ${lines.length - shownOfEach} more`] : []),
      ];
