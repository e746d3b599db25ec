import type { Measurement } from '../appointments/measure.ts';
import { processorMs, processorTime } from '../shared/processor-time.ts';
import {
  loadCells,
  perSecond,
  type Report,
  ratioCell,
  spread,
  spreadMs,
  type Target,
  targetsTable,
} from '../shared/report.ts';
import { ratios, spreadOf } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import type { BusyStore } from './busy-store.ts';
import type { Imported } from './import.ts';
import {
  type CrmMeasurements,
  type CrmPlan,
  changeConcurrencies,
  changeKey,
  changeNames,
  deepPage,
  listKey,
  pageConcurrencies,
  pageKey,
  pageNames,
  readConcurrencies,
  readKey,
  readNames,
  type SizeName,
} from './measure.ts';

export type CrmFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly plan: CrmPlan;
  readonly measurements: CrmMeasurements;
  readonly busy: BusyStore;
  readonly imports: readonly Imported[];
};

const sizes: readonly SizeName[] = ['small', 'large'];
const mainConcurrency = 32;

export const reportCrm = (findings: CrmFindings): Report => ({
  ...findings,
  sections: [
    ['Targets', targets(findings)],
    ['GET /leads/{id}', loads(findings, readNames, readConcurrencies, readKey)],
    ['GET /leads, 50 by cursor', loads(findings, pageNames, pageConcurrencies, pageKey)],
    ['GET /leads, one caller', lists(findings)],
    ['First page ÷ later page', firstPages(findings)],
    ['Status changes in one store with totals', busyStore(findings)],
    ['PATCH /leads/{id}, status changes', loads(findings, changeNames, changeConcurrencies, changeKey)],
    ['Import', imports(findings)],
    [`Processor time at concurrency ${mainConcurrency}, in milliseconds per request`, timeOfProcessors(findings)],
  ],
});

const sizeText = ({ plan }: CrmFindings, size: SizeName): string => plan.sizes[size].toLocaleString('en');
const of = ({ measurements }: CrmFindings, key: string): readonly Measurement[] => measurements.get(key) ?? [];
const p50 = (measured: readonly Measurement[]) => measured.map((each) => each.p50Ms);

/** The names of the measured lists, in order. */
const listNames = ({ measurements }: CrmFindings): string[] =>
  [...measurements.keys()].flatMap((key) => /^list small first (.+)$/.exec(key)?.[1] ?? []);

/**
 * How many times slower a page is at the large size, by round. Compares the second pages, or the first pages of a list
 * that has only one.
 */
function slowdown(findings: CrmFindings, name: string): number[] {
  const page = of(findings, listKey('small', 'next', name)).length > 0 ? 'next' : 'first';
  const at = (size: SizeName) => p50(of(findings, listKey(size, page, name)));
  return ratios(at('large'), at('small'));
}

/** The lists whose first page must cost what a later page costs, whatever the size of the store. */
const totalled = ['no filter', 'status', 'seller_id', 'status and seller_id'];
const mostFirst = 1.3;

const costs = {
  'processor time': processorMs,
  p50: ({ p50Ms }: Measurement) => p50Ms,
};

const costNames = Object.keys(costs) as (keyof typeof costs)[];

/** How many times as much a first page costs as a later page of the same list, by round. */
function firstToLater(findings: CrmFindings, size: SizeName, name: string, cost: keyof typeof costs): number[] {
  const at = (page: 'first' | 'next') => of(findings, listKey(size, page, name)).map(costs[cost]);
  return ratios(at('first'), at('next'));
}

function firstPages(findings: CrmFindings): string {
  const rows = listNames(findings)
    .filter((name) => of(findings, listKey('large', 'next', name)).length > 0)
    .map((name) => [
      name,
      ...sizes.flatMap((size) => costNames.map((cost) => spread(firstToLater(findings, size, name, cost)))),
    ]);
  const headings = sizes.flatMap((size) => costNames.map((cost) => `${cost}, ${sizeText(findings, size)}`));
  return table(['filter', ...headings], rows);
}

function busyStore({ busy }: CrmFindings): string {
  const { changes, firstMs, nextMs, quietFirstMs, quietNextMs, samples, waiting } = busy;
  return table(
    ['measured', ''],
    [
      ['status changes of one store per second', Math.round(changes.perSecond).toLocaleString('en')],
      ['samples of `pg_stat_activity` and `pg_locks`, each of all sessions of crm', samples.toLocaleString('en')],
      ['sessions that waited for a lock, in all samples', String(waiting)],
      ['first page, p50, without changes', `${quietFirstMs.toFixed(2)} ms`],
      ['later page, p50, without changes', `${quietNextMs.toFixed(2)} ms`],
      ['first page, p50, meanwhile', `${firstMs.toFixed(2)} ms`],
      ['later page, p50, meanwhile', `${nextMs.toFixed(2)} ms`],
    ],
  );
}

function targets(findings: CrmFindings): string {
  const reads = sizes.flatMap((size): Target[] => {
    const read = (name: string) => of(findings, readKey(size, name, mainConcurrency));
    const hop = read(readNames.hop).map(processorMs);
    const page = of(findings, pageKey(size, pageNames.platform, mainConcurrency)).map(processorMs);
    const leads = sizeText(findings, size);
    return [
      {
        what: `read one of ${leads}: processor time ÷ that of a bare read through NATS`,
        values: ratios(read(readNames.platform).map(processorMs), hop),
        ...{ holds: '≤', limit: 1.35 },
      },
      {
        what: `read 50 of ${leads} by cursor: processor time ÷ that of a bare read of one through NATS`,
        values: ratios(page, hop),
        ...{ holds: '≤', limit: 5 },
      },
      {
        what: `read one of ${leads}: platform ÷ ${readNames.bare}`,
        values: ratios(perSecond(read(readNames.platform)), perSecond(read(readNames.bare))),
        ...{ holds: '≥', limit: 0.3 },
      },
    ];
  });
  const slowest = listNames(findings)
    .map((name) => ({ name, values: slowdown(findings, name) }))
    .reduce((worst, each) => (spreadOf(each.values).median > spreadOf(worst.values).median ? each : worst));
  const deep = `page ${findings.plan.deepPages.toLocaleString('en')} pages deep at the large size ÷ page 2 at the small one`;
  return targetsTable([
    ...reads,
    {
      what: `rows of a page, large ÷ small, the slowest: ${slowest.name}`,
      values: slowest.values,
      holds: '≤',
      limit: 1.5,
    },
    { what: deep, values: slowdown(findings, deepPage), holds: '≤', limit: 1.5 },
    ...totalled.flatMap((name) =>
      costNames.map(
        (cost): Target => ({
          what: `first page ÷ later page of ${sizeText(findings, 'large')}, ${name}: ${cost}`,
          values: firstToLater(findings, 'large', name, cost),
          holds: '≤',
          limit: mostFirst,
        }),
      ),
    ),
    {
      what: 'status changes of one store per second, with totals',
      values: [findings.busy.changes.perSecond],
      holds: '≥',
      limit: 500,
    },
  ]);
}

function loads(
  findings: CrmFindings,
  names: Readonly<Record<string, string>>,
  concurrencies: readonly number[],
  keyOf: (size: SizeName, name: string, concurrency: number) => string,
): string {
  const rows = sizes.flatMap((size) =>
    concurrencies.flatMap((concurrency) => {
      const own = perSecond(of(findings, keyOf(size, names.platform ?? '', concurrency)));
      return Object.values(names).map((name) => {
        const measured = of(findings, keyOf(size, name, concurrency));
        return [
          sizeText(findings, size),
          String(concurrency),
          name,
          ...loadCells(measured),
          name === names.platform ? '' : ratioCell(own, perSecond(measured)),
        ];
      });
    }),
  );
  return table(['leads', 'callers', 'variant', 'requests/s', 'p50', 'p99', 'platform ÷ this'], rows);
}

function lists(findings: CrmFindings): string {
  const median = (size: SizeName, page: 'first' | 'next', name: string) =>
    spreadMs(p50(of(findings, listKey(size, page, name))));
  const rows = [...listNames(findings), deepPage].map((name) => [
    name,
    median('small', 'next', name),
    median('large', 'next', name),
    spread(slowdown(findings, name)),
    median('small', 'first', name),
    median('large', 'first', name),
  ]);
  const [small, large] = sizes.map((size) => sizeText(findings, size));
  return table(
    [
      'filter',
      `rows, ${small}`,
      `rows, ${large}`,
      'large ÷ small',
      `rows and total, ${small}`,
      `rows and total, ${large}`,
    ],
    rows,
  );
}

function imports({ imports, plan }: CrmFindings): string {
  const figures = (pick: (each: Imported) => number) => imports.map(pick);
  const copied = figures(({ copy }) => copy);
  const row = (what: string, values: readonly number[]) => [what, spread(values), ratioCell(values, copied)];
  return table(
    [`${plan.importedRows.toLocaleString('en')} rows`, 'rows/s', '÷ COPY'],
    [
      row(
        '`admin lead import`',
        figures(({ platform }) => platform),
      ),
      row(
        'the same file again',
        figures(({ again }) => again),
      ),
      row('COPY alone, into a table with the same indexes', copied),
    ],
  );
}

function timeOfProcessors(findings: CrmFindings): string {
  const ofAll = (method: string, names: Readonly<Record<string, string>>, keyOf: typeof readKey) =>
    Object.values(names).map((name) => ({
      title: `${method}, ${name}`,
      measured: of(findings, keyOf('large', name, mainConcurrency)),
    }));
  return processorTime([
    ...ofAll('GET', readNames, readKey),
    ...ofAll('GET 50', pageNames, pageKey),
    ...ofAll('PATCH', changeNames, changeKey),
  ]);
}
