import { lineChart } from '../shared/chart.ts';
import type { OpenLoadResult } from '../shared/load/open-load.ts';
import { processorTime } from '../shared/processor-time.ts';
import { latencyCells, loadCells, perSecond, type Report, spreadMs, targetsTable } from '../shared/report.ts';
import { ratios, spreadOf } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import { day } from './day.ts';
import { besideRate, floodRate, type Neighbour, neighbourNames } from './neighbour.ts';
import type { MixedFindings, MixedStep } from './plan.ts';

export const reportMixed = (findings: MixedFindings): Report => ({
  ...findings,
  sections: [
    [`Each kind, with ${count(largest(findings))} stores, at the highest sustained rate`, kinds(findings)],
    ['All requests', allRequests(findings)],
    ['Beside another store', ...besideAnother(findings)],
  ],
});

/** Draws latency against load, for the README. */
export function drawMixed(findings: MixedFindings): string {
  return lineChart({
    title: 'A store’s day: latency at rising load',
    x: 'requests a second',
    y: 'milliseconds',
    lines: findings.plan.stores.flatMap((stores) =>
      (['p50Ms', 'p99Ms'] as const).map((percentile) => ({
        name: `${count(stores)} stores, ${percentile === 'p50Ms' ? 'p50' : 'p99'}`,
        dashed: percentile === 'p50Ms',
        points: ratesOf(findings, stores).map((rate) => ({
          x: rate,
          y: spreadOf(at(findings, stores, rate).map(({ all }) => all[percentile])).median,
        })),
      })),
    ),
  });
}

const count = (stores: number): string => stores.toLocaleString('en');
const largest = ({ plan }: MixedFindings): number => Math.max(...plan.stores);
const at = ({ steps }: MixedFindings, stores: number, rate: number): MixedStep[] =>
  steps.filter((step) => step.stores === stores && step.rate === rate);

/** The rates that were measured in every round. */
const ratesOf = (findings: MixedFindings, stores: number): number[] =>
  findings.plan.rates.filter((rate) => at(findings, stores, rate).length === findings.plan.rounds);

const refusedShare = ({ refused, all }: OpenLoadResult): number =>
  (100 * Object.values(refused).reduce((sum, each) => sum + each, 0)) / Math.max(1, all.answered);

function allRequests(findings: MixedFindings): string {
  const rows = findings.plan.rates.flatMap((rate) =>
    findings.plan.stores.flatMap((stores) => {
      const steps = at(findings, stores, rate);
      if (steps.length === 0) return [];
      return [
        [
          count(rate),
          count(stores),
          ...loadCells(steps.map(({ perSecond, all }) => ({ ...all, perSecond }))),
          spreadMs(steps.map(({ all }) => all.p999Ms)),
          `${spreadOf(steps.map(refusedShare)).median.toFixed(1)} %`,
        ],
      ];
    }),
  );
  return table(['requested/s', 'stores', 'succeeded/s', 'p50', 'p99', 'p99.9', 'not 2xx'], rows);
}

function kinds(findings: MixedFindings): string {
  const stores = largest(findings);
  const kept = ratesOf(findings, stores).filter(
    (rate) => spreadOf(perSecond(at(findings, stores, rate))).median >= rate * 0.95,
  );
  const steps = at(findings, stores, kept.at(-1) ?? findings.plan.rates[0] ?? 0);
  const rows = day.map(({ name, share }) => {
    const measured = steps.flatMap((step) => step.kinds[name] ?? []);
    return [`\`${name}\``, `${share} %`, ...latencyCells(measured)];
  });
  return table([`at ${count(kept.at(-1) ?? 0)}/s`, 'share', 'p50', 'p99'], rows);
}

function besideAnother({ beside, plan }: MixedFindings): string[] {
  const all = [null, ...neighbourNames];
  const of = (which: Neighbour | null) => beside.filter(({ neighbour }) => neighbour === which);
  const title = (which: Neighbour | null) => which ?? 'none: quiet';
  const p99 = (which: Neighbour | null) => of(which).map(({ all }) => all.p99Ms);
  const against = (which: Neighbour, floor: Neighbour | null) => ({
    what: `p99 beside ${which}, against ${title(floor)}`,
    values: ratios(p99(which), p99(floor)),
    holds: '≤' as const,
    limit: 1.2,
  });
  return [
    `The smallest platform gets ${besideRate} requests/s, quiet and while a new \`pro\` store sends its 100/s or a flood of ${count(floodRate)}/s. ${plan.rounds} rounds in turn.`,
    table(
      ['beside', 'succeeded/s', 'p50', 'p99', 'not 2xx'],
      all.map((which) => [
        title(which),
        ...loadCells(of(which).map(({ perSecond, all }) => ({ ...all, perSecond }))),
        `${spreadOf(of(which).map(refusedShare)).median.toFixed(1)} %`,
      ]),
    ),
    targetsTable([
      against('a flood of reads', 'reads at its rate'),
      against('a flood of all kinds', 'all kinds at its rate'),
      against('a flood of reads', null),
      against('a flood of all kinds', null),
    ]),
    'The processor time of the platform for one request of the measured stores, in milliseconds, with all that the other store costs:',
    processorTime(all.map((which) => ({ title: title(which), measured: of(which) }))),
  ];
}
