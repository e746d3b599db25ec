import { processorTime } from '../shared/processor-time.ts';
import { ratios, type Spread, spreadOf } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import type { Drains } from './drain.ts';
import { keyOf, type Measurement, type Measurements, mainConcurrency, names, type Part } from './measure.ts';

/** Everything a run found. */
export type Findings = {
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly concurrencies: readonly number[];
  readonly measurements: Measurements;
  readonly drains: Drains;
  /** Megabytes of each Node process, after the warm-up and after the last round. */
  readonly memory: Readonly<Record<string, { warm: number; end: number }>>;
};

/** The findings as Markdown, which reads well on a terminal too. */
export function report(findings: Findings): string {
  const { settings, machine, memory, drains } = findings;
  return [
    settings.map((line) => `- ${line}`).join('\n'),
    machine.map((line) => `- ${line}`).join('\n'),
    ...targetsPart(findings),
    ...loadPart(findings, 'post', 'POST /appointments', names.platform),
    ...loadPart(findings, 'get', 'GET /appointments/{id}', names.platform),
    ...drainPart(drains),
    '### Resident memory',
    table(
      ['process', 'after the warm-up', 'after the last round'],
      Object.entries(memory).map(([name, { warm, end }]) => [name, `${warm.toFixed(0)} MB`, `${end.toFixed(0)} MB`]),
    ),
    ...cpuPart(findings, 'post'),
    ...cpuPart(findings, 'get'),
  ].join('\n\n');
}

/** Of one variant at one concurrency, by round. */
const of = ({ measurements }: Findings, part: Part, name: string, concurrency = mainConcurrency): Measurement[] =>
  measurements.get(keyOf({ part: part as 'post' | 'get', name }, concurrency)) ?? [];
const perSecond = (measured: readonly Measurement[]) => measured.map((each) => each.perSecond);

function targetsPart(findings: Findings): string[] {
  const platform = perSecond(of(findings, 'post', names.platform));
  const against = (name: string) => ratios(platform, perSecond(of(findings, 'post', name)));
  const gets = ratios(perSecond(of(findings, 'get', names.platform)), perSecond(of(findings, 'get', names.hop)));
  const p99 = of(findings, 'post', names.platform).map(({ p99Ms }) => p99Ms);
  const drained = ratios(findings.drains.platform, findings.drains.bare);
  const largest = Math.max(...Object.values(findings.memory).map(({ warm }) => warm));
  const rows: [string, readonly number[], number, boolean, string][] = [
    ['POST: platform ÷ bare insert', against(names.bare), 0.4, true, ''],
    ['POST: platform ÷ Update-with-Start', against(names.updateWithStart), 20, true, ''],
    ['POST: p99 while workflows run', p99, 50, false, ' ms'],
    ['GET: platform ÷ bare read through NATS', gets, 0.8, true, ''],
    ['drain: platform ÷ bare', drained, 0.7, true, ''],
    ['largest Node process after the warm-up', [largest], 120, false, ' MB'],
  ];
  return [
    `### Targets, at concurrency ${mainConcurrency}`,
    table(
      ['what', 'measured', 'target', ''],
      rows
        .filter(([, values]) => values.length > 0)
        .map(([what, values, limit, atLeast, unit]) => {
          const { median } = spreadOf(values);
          const reached = atLeast ? median >= limit : median < limit;
          return [what, spread(values, unit), `${atLeast ? '≥' : '<'} ${limit}${unit}`, reached ? 'reached' : 'missed'];
        }),
    ),
  ];
}

function loadPart(findings: Findings, part: 'post' | 'get', title: string, subject: string): string[] {
  const rows = findings.concurrencies.flatMap((concurrency) => {
    const own = perSecond(of(findings, part, subject, concurrency));
    return Object.values(names).flatMap((name) => {
      const measured = of(findings, part, name, concurrency);
      if (measured.length === 0) return [];
      const share = name === subject ? '' : spread(ratios(own, perSecond(measured)));
      const p = (pick: (each: Measurement) => number) => spread(measured.map(pick), ' ms');
      return [
        [
          String(concurrency),
          name,
          spread(perSecond(measured)),
          p(({ p50Ms }) => p50Ms),
          p(({ p99Ms }) => p99Ms),
          share,
        ],
      ];
    });
  });
  if (rows.length === 0) return [];
  return [`### ${title}`, table(['at once', 'variant', 'requests/s', 'p50', 'p99', 'platform ÷ this'], rows)];
}

function drainPart({ platform, other, bare }: Drains): string[] {
  if (platform.length === 0) return [];
  const rows = [
    [names.platform, spread(platform), ''],
    ...(other.length > 0 ? [[names.other, spread(other), spread(ratios(platform, other))]] : []),
    ['bare signal-with-start and an activity', spread(bare), spread(ratios(platform, bare))],
  ];
  return ['### Draining a backlog', table(['variant', 'workflows/s', 'platform ÷ this'], rows)];
}

function cpuPart(findings: Findings, part: 'post' | 'get'): string[] {
  const columns = Object.values(names)
    .map((name) => ({ title: name, measured: of(findings, part, name) }))
    .filter(({ measured }) => measured.length > 0);
  if (columns.length === 0) return [];
  return [
    `### Processor time of a ${part.toUpperCase()}, at concurrency ${mainConcurrency}, in milliseconds`,
    processorTime(columns),
  ];
}

/** `median (min–max)`, or the one value. */
export function spread(values: readonly number[], unit = ''): string {
  const { median, min, max }: Spread = spreadOf(values);
  if (values.length === 1) return `${figure(median)}${unit}`;
  return `${figure(median)}${unit} (${figure(min)}–${figure(max)})`;
}

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2);
