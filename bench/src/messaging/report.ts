import { processorTime } from '../shared/processor-time.ts';
import { ratioCell, type Section, spread, type Target, targetsTable } from '../shared/report.ts';
import { table } from '../shared/table.ts';
import type { RowFindings } from './measure.ts';
import type { Measured } from './plan.ts';

/** The variant that has targets. */
export const platform = 'platform';

/** The targets, then all figures of each row. A comparison of two versions has no targets. */
export function sectionsOf(findings: readonly RowFindings[]): Section[] {
  const targets = findings.flatMap(targetsOf).filter(({ values }) => values.length > 0);
  return [...(targets.length > 0 ? [['Targets', targetsTable(targets)] as const] : []), ...findings.map(sectionOf)];
}

const valuesOf = (measured: readonly Measured[], figure: string): number[] =>
  measured.flatMap(({ figures }) => figures[figure] ?? []);

const targetsOf = ({ row, variants }: RowFindings): Target[] =>
  row.targets.map(({ figure, ...target }) => ({
    ...target,
    what: `${row.title}: ${figure}`,
    values: valuesOf(variants.get(platform) ?? [], figure),
  }));

function sectionOf({ row, variants }: RowFindings): Section {
  const [[name, first] = ['', []], ...others] = [...variants];
  const figures = Object.keys(first[0]?.figures ?? {});
  const cells = (figure: string) =>
    others.map(([, each]) => ratioCell(valuesOf(each, figure), valuesOf(first, figure)));
  return [
    row.title,
    table(
      ['what', ...variants.keys(), ...others.map(([other]) => `${other} ÷ ${name}`)],
      figures.map((figure) => [
        figure,
        ...[...variants.values()].map((measured) => spread(valuesOf(measured, figure))),
        ...cells(figure),
      ]),
    ),
    ...(Object.keys(first[0]?.cpuMs ?? {}).length > 0
      ? [
          'Processor time for one message by process, in milliseconds:',
          processorTime([...variants].map(([title, measured]) => ({ title, measured }))),
        ]
      : []),
  ];
}
