import type { Measurement } from '../appointments/measure.ts';
import { spread } from '../appointments/report.ts';
import { processorTime } from '../shared/processor-time.ts';
import { ratios, spreadOf } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import type { Imported } from './import.ts';
import {
  type CrmMeasurements,
  type CrmPlan,
  changeConcurrencies,
  changeKey,
  changeNames,
  deepPage,
  listKey,
  readConcurrencies,
  readKey,
  readNames,
  type SizeName,
} from './measure.ts';

export type CrmFindings = {
  readonly plan: CrmPlan;
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly measurements: CrmMeasurements;
  readonly imports: readonly Imported[];
};

const sizes: readonly SizeName[] = ['small', 'large'];
const mainConcurrency = 32;

/** The findings as Markdown, which reads well on a terminal too. */
export function reportCrm(findings: CrmFindings): string {
  const { settings, machine } = findings;
  return [
    settings.map((line) => `- ${line}`).join('\n'),
    machine.map((line) => `- ${line}`).join('\n'),
    '### Targets',
    targets(findings),
    '### GET /leads/{id}',
    loads(findings, readNames, readConcurrencies, readKey),
    '### GET /leads, one caller',
    lists(findings),
    '### PATCH /leads/{id}, each a change of status',
    loads(findings, changeNames, changeConcurrencies, changeKey),
    '### Import',
    imports(findings),
    `### Processor time at concurrency ${mainConcurrency}, in milliseconds a request`,
    timeOfProcessors(findings),
  ].join('\n\n');
}

const sizeText = ({ plan }: CrmFindings, size: SizeName): string => plan.sizes[size].toLocaleString('en');
const of = ({ measurements }: CrmFindings, key: string): readonly Measurement[] => measurements.get(key) ?? [];
const perSecond = (measured: readonly Measurement[]) => measured.map((each) => each.perSecond);
const p50 = (measured: readonly Measurement[]) => measured.map((each) => each.p50Ms);
const p99 = (measured: readonly Measurement[]) => measured.map((each) => each.p99Ms);

/** The names of the lists whose pages were measured, in their order. */
const listNames = ({ measurements }: CrmFindings): string[] =>
  [...measurements.keys()].flatMap((key) => /^list small first (.+)$/.exec(key)?.[1] ?? []);

/**
 * How many times slower the rows of a page are at the large size, by round. A list of one row has no next page: then
 * its only page, whose total is one row too.
 */
function slowdown(findings: CrmFindings, name: string): number[] {
  const page = of(findings, listKey('small', 'next', name)).length > 0 ? 'next' : 'first';
  const at = (size: SizeName) => p50(of(findings, listKey(size, page, name)));
  return ratios(at('large'), at('small'));
}

function targets(findings: CrmFindings): string {
  const rows = sizes.flatMap((size) => {
    const read = (name: string) => perSecond(of(findings, readKey(size, name, mainConcurrency)));
    const against = (name: string, limit: number) => {
      const values = ratios(read(readNames.platform), read(name));
      const reached = spreadOf(values).median >= limit;
      return [
        `read one of ${sizeText(findings, size)}: platform ÷ ${name}`,
        spread(values),
        `≥ ${limit}`,
        word(reached),
      ];
    };
    return [against(readNames.hop, 0.8), against(readNames.bare, 0.3)];
  });
  const slowest = listNames(findings)
    .map((name) => ({ name, values: slowdown(findings, name) }))
    .reduce((worst, each) => (spreadOf(each.values).median > spreadOf(worst.values).median ? each : worst));
  const deep = slowdown(findings, deepPage);
  return table(
    ['what', 'measured', 'target', ''],
    [
      ...rows,
      [
        `rows of a page, large ÷ small, the slowest: ${slowest.name}`,
        spread(slowest.values),
        '≤ 1.5',
        word(spreadOf(slowest.values).median <= 1.5),
      ],
      [
        `page ${findings.plan.deepPages.toLocaleString('en')} pages deep at the large size ÷ page 2 at the small one`,
        spread(deep),
        '≤ 1.5',
        word(spreadOf(deep).median <= 1.5),
      ],
    ],
  );
}

const word = (reached: boolean): string => (reached ? 'reached' : 'missed');

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
          spread(perSecond(measured)),
          spread(p50(measured), ' ms'),
          spread(p99(measured), ' ms'),
          name === names.platform ? '' : spread(ratios(own, perSecond(measured))),
        ];
      });
    }),
  );
  return table(['leads', 'at once', 'variant', 'requests/s', 'p50', 'p99', 'platform ÷ this'], rows);
}

function lists(findings: CrmFindings): string {
  const median = (size: SizeName, page: 'first' | 'next', name: string) => {
    const measured = of(findings, listKey(size, page, name));
    return measured.length === 0 ? '' : spread(p50(measured), ' ms');
  };
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
  const row = (what: string, values: readonly number[]) => [what, spread(values), spread(ratios(values, copied))];
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
  return processorTime([...ofAll('GET', readNames, readKey), ...ofAll('PATCH', changeNames, changeKey)]);
}
