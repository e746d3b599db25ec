import { processorTime } from '../shared/processor-time.ts';
import { loadCells, type Report, spreadMs, targetsTable } from '../shared/report.ts';
import { ratios } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import {
  concurrencies,
  keyOf,
  mainConcurrency,
  type ReportsMeasurements,
  reportNames,
  type SizeName,
  sizeNames,
} from './measure.ts';
import type { Sized } from './stage.ts';

export type ReportsFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly sized: Readonly<Record<SizeName, Sized>>;
  readonly measurements: ReportsMeasurements;
};

export const reportReports = (findings: ReportsFindings): Report => ({
  ...findings,
  sections: [
    [`Targets, at concurrency ${mainConcurrency}`, targets(findings)],
    ['Rows in the databases', contents(findings)],
    ['Reports', loads(findings)],
    ['Closing', closings(findings)],
    [`Processor time at concurrency ${mainConcurrency}, in milliseconds per request`, timeOfProcessors(findings)],
  ],
});

const of = ({ measurements }: ReportsFindings, size: SizeName, name: string, concurrency = mainConcurrency) =>
  measurements.loads.get(keyOf(size, name, concurrency)) ?? [];
const number = (value: number): string => Math.round(value).toLocaleString('en');

function contents({ sized }: ReportsFindings): string {
  return table(
    ['', ...sizeNames],
    [
      ...(['messages', 'leads', 'appointments', 'followups'] as const).map((what) => [
        what === 'followups' ? 'follow-ups' : what,
        ...sizeNames.map((size) => number(sized[size].sizes[what])),
      ]),
      ['share of the store', ...sizeNames.map(() => 'a tenth')],
      ['seconds to fill', ...sizeNames.map((size) => number(sized[size].fillSeconds))],
    ],
  );
}

function targets(findings: ReportsFindings): string {
  const p99 = of(findings, 'large', 'year').map(({ p99Ms }) => p99Ms);
  const [large, small] = [of(findings, 'large', 'year'), of(findings, 'small', 'year')].map((measured) =>
    measured.map(({ p50Ms }) => p50Ms),
  );
  return targetsTable([
    { what: `${reportNames.year}: p99, large`, values: p99, holds: '≤', limit: 100, unit: ' ms' },
    {
      what: `${reportNames.year}: p50, large ÷ small`,
      values: ratios(large ?? [], small ?? []),
      holds: '≤',
      limit: 2,
    },
  ]);
}

function loads(findings: ReportsFindings): string {
  const rows = Object.entries(reportNames).flatMap(([name, title]) =>
    concurrencies.flatMap((concurrency) =>
      sizeNames.map((size) => {
        const measured = of(findings, size, name, concurrency);
        return [title, String(concurrency), size, ...loadCells(measured)];
      }),
    ),
  );
  const recounts = sizeNames.map((size) => [
    'a year by day, counted from the rows in PostgreSQL',
    '1',
    size,
    '',
    spreadMs(findings.measurements.recounts[size].map((seconds) => seconds * 1000)),
    '',
  ]);
  return table(['report', 'callers', 'size', 'requests/s', 'p50', 'p99'], [...rows, ...recounts]);
}

function closings({ sized }: ReportsFindings): string {
  const rows = sizeNames.flatMap((size) =>
    sized[size].closings.map(({ service, facts, quarters, allSeconds, steps, quarterMs }) => [
      size,
      service,
      number(facts),
      number(quarters),
      `${allSeconds.toFixed(1)} s`,
      String(steps),
      number(facts / allSeconds),
      `${number(quarterMs)} ms`,
    ]),
  );
  return table(
    ['size', 'service', 'facts', 'rollup rows', 'close all', 'steps', 'facts/s', 'close a quarter-hour'],
    rows,
  );
}

function timeOfProcessors(findings: ReportsFindings): string {
  return processorTime(
    Object.entries(reportNames).map(([name, title]) => ({ title, measured: of(findings, 'large', name) })),
  );
}
