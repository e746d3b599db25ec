import { spread } from '../appointments/report.ts';
import { processorTime } from '../shared/processor-time.ts';
import { ratios, spreadOf } from '../shared/statistics.ts';
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

export type ReportsFindings = {
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly sized: Readonly<Record<SizeName, Sized>>;
  readonly measurements: ReportsMeasurements;
};

/** The findings as Markdown, which reads well on a terminal too. */
export function reportReports(findings: ReportsFindings): string {
  const { settings, machine } = findings;
  return [
    settings.map((line) => `- ${line}`).join('\n'),
    machine.map((line) => `- ${line}`).join('\n'),
    '### What was in the databases',
    contents(findings),
    '### Targets',
    targets(findings),
    '### Reports',
    loads(findings),
    '### Closing',
    closings(findings),
    `### Processor time at concurrency ${mainConcurrency}, in milliseconds a request`,
    timeOfProcessors(findings),
  ].join('\n\n');
}

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
      ['of these the store’s', ...sizeNames.map(() => 'a tenth')],
      ['seconds to fill', ...sizeNames.map((size) => number(sized[size].fillSeconds))],
    ],
  );
}

function targets(findings: ReportsFindings): string {
  const p99 = of(findings, 'large', 'year').map(({ p99Ms }) => p99Ms);
  const [large, small] = [of(findings, 'large', 'year'), of(findings, 'small', 'year')].map((measured) =>
    measured.map(({ p50Ms }) => p50Ms),
  );
  const slower = ratios(large ?? [], small ?? []);
  const row = (what: string, values: readonly number[], limit: number, unit: string) => [
    what,
    spread(values, unit),
    `≤ ${limit}${unit}`,
    spreadOf(values).median <= limit ? 'reached' : 'missed',
  ];
  return table(
    [`at concurrency ${mainConcurrency}`, 'measured', 'target', ''],
    [
      row(`${reportNames.year}: p99, large`, p99, 100, ' ms'),
      row(`${reportNames.year}: p50, large ÷ small`, slower, 2, ''),
    ],
  );
}

function loads(findings: ReportsFindings): string {
  const rows = Object.entries(reportNames).flatMap(([name, title]) =>
    concurrencies.flatMap((concurrency) =>
      sizeNames.map((size) => {
        const measured = of(findings, size, name, concurrency);
        return [
          title,
          String(concurrency),
          size,
          spread(measured.map(({ perSecond }) => perSecond)),
          spread(
            measured.map(({ p50Ms }) => p50Ms),
            ' ms',
          ),
          spread(
            measured.map(({ p99Ms }) => p99Ms),
            ' ms',
          ),
        ];
      }),
    ),
  );
  const recounts = sizeNames.map((size) => [
    'a year by day, counted from the rows in PostgreSQL',
    '1',
    size,
    '',
    spread(
      findings.measurements.recounts[size].map((seconds) => seconds * 1000),
      ' ms',
    ),
    '',
  ]);
  return table(['report', 'at once', 'size', 'requests/s', 'p50', 'p99'], [...rows, ...recounts]);
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
  return table(['size', 'service', 'facts', 'rows left', 'all of it', 'steps', 'facts/s', 'a quarter-hour'], rows);
}

function timeOfProcessors(findings: ReportsFindings): string {
  return processorTime(
    Object.entries(reportNames).map(([name, title]) => ({ title, measured: of(findings, 'large', name) })),
  );
}
