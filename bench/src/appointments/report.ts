import { processorMs, processorTime } from '../shared/processor-time.ts';
import { loadCells, perSecond, type Report, ratioCell, type Section, spread, targetsTable } from '../shared/report.ts';
import { ratios } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import type { Drains } from './drain.ts';
import { keyOf, type Measurement, type Measurements, mainConcurrency, names, type Part } from './measure.ts';

/** The results of a run. */
export type Findings = Pick<Report, 'settings' | 'machine'> & {
  readonly concurrencies: readonly number[];
  readonly measurements: Measurements;
  readonly drains: Drains;
  /** Megabytes of each Node process, after the warm-up and after the last round. */
  readonly memory: Readonly<Record<string, { warm: number; end: number }>>;
};

export const reportAppointments = (findings: Findings): Report => ({
  ...findings,
  sections: [
    [`Targets, at concurrency ${mainConcurrency}`, targets(findings)],
    ...load(findings, 'post', 'POST /appointments'),
    ...load(findings, 'get', 'GET /appointments/{id}'),
    ...drain(findings.drains),
    [
      'Resident memory',
      table(
        ['process', 'after the warm-up', 'after the last round'],
        Object.entries(findings.memory).map(([name, { warm, end }]) => [
          name,
          `${warm.toFixed(0)} MB`,
          `${end.toFixed(0)} MB`,
        ]),
      ),
    ],
    ...cpu(findings, 'post'),
    ...cpu(findings, 'get'),
  ],
});

/** The measurements of one variant at one concurrency, by round. */
const of = ({ measurements }: Findings, part: Part, name: string, concurrency = mainConcurrency): Measurement[] =>
  measurements.get(keyOf({ part: part as 'post' | 'get', name }, concurrency)) ?? [];

function targets(findings: Findings): string {
  const cost = (part: Part, name: string) => of(findings, part, name).map(processorMs);
  const rate = (name: string) => perSecond(of(findings, 'post', name));
  const floor = cost('post', names.hopInTransaction);
  const created = cost('post', names.unconnected);
  const keyAdds = cost('post', names.keyed).map((keyed, round) => keyed - (created[round] ?? Number.NaN));
  const p99 = of(findings, 'post', names.platform).map(({ p99Ms }) => p99Ms);
  const { workflows, ...services } = Object.fromEntries(
    Object.entries(findings.memory).map(([name, { end }]) => [name, end]),
  );
  return targetsTable([
    {
      what: 'GET: processor time ÷ that of a bare read through NATS',
      values: ratios(cost('get', names.platform), cost('get', names.hop)),
      ...{ holds: '≤', limit: 1.35 },
    },
    ...[
      { what: 'no workflow', values: created, holds: '≤', limit: 2.5 } as const,
      { what: 'with its workflow', values: cost('post', names.platform), holds: '≤', limit: 6.7 } as const,
      { what: 'what Idempotency-Key adds', values: keyAdds, holds: '≤', limit: 0.83 } as const,
    ].map((target) => ({
      ...target,
      what: `POST, ${target.what}: processor time ÷ that of an insert in a transaction through NATS`,
      values: ratios(target.values, floor),
    })),
    {
      what: 'POST, no workflow: requests/s ÷ those of an insert in a transaction through NATS',
      values: ratios(rate(names.unconnected), rate(names.hopInTransaction)),
      ...{ holds: '≥', limit: 0.4 },
    },
    {
      what: 'POST: requests/s ÷ those of Update-with-Start',
      values: ratios(rate(names.platform), rate(names.updateWithStart)),
      ...{ holds: '≥', limit: 15 },
    },
    { what: 'POST: p99 while workflows run', values: p99, holds: '<', limit: 50, unit: ' ms' },
    {
      what: 'drain: platform ÷ bare',
      values: ratios(findings.drains.platform, findings.drains.bare),
      ...{ holds: '≥', limit: 0.7 },
    },
    {
      what: 'resident memory of the largest service after the last round',
      values: [Math.max(...Object.values(services))],
      ...{ holds: '≤', limit: 150, unit: ' MB' },
    },
    {
      what: 'resident memory of the worker after the last round',
      values: [workflows ?? Number.NaN],
      ...{ holds: '≤', limit: 230, unit: ' MB' },
    },
  ]);
}

function load(findings: Findings, part: 'post' | 'get', title: string): Section[] {
  const rows = findings.concurrencies.flatMap((concurrency) => {
    const own = perSecond(of(findings, part, names.platform, concurrency));
    return Object.values(names).flatMap((name) => {
      const measured = of(findings, part, name, concurrency);
      if (measured.length === 0) return [];
      const share = name === names.platform ? '' : ratioCell(own, perSecond(measured));
      return [[String(concurrency), name, ...loadCells(measured), share]];
    });
  });
  if (rows.length === 0) return [];
  return [[title, table(['callers', 'variant', 'requests/s', 'p50', 'p99', 'platform ÷ this'], rows)]];
}

function drain({ platform, other, bare }: Drains): Section[] {
  if (platform.length === 0) return [];
  const rows = [
    [names.platform, spread(platform), ''],
    ...(other.length > 0 ? [[names.other, spread(other), ratioCell(platform, other)]] : []),
    ['bare signal-with-start and an activity', spread(bare), ratioCell(platform, bare)],
  ];
  return [['Draining a backlog', table(['variant', 'workflows/s', 'platform ÷ this'], rows)]];
}

function cpu(findings: Findings, part: 'post' | 'get'): Section[] {
  const columns = Object.values(names)
    .map((name) => ({ title: name, measured: of(findings, part, name) }))
    .filter(({ measured }) => measured.length > 0);
  if (columns.length === 0) return [];
  const title = `Processor time of a ${part.toUpperCase()}, at concurrency ${mainConcurrency}, in milliseconds`;
  return [[title, processorTime(columns)]];
}
