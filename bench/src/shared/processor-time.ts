import { spreadOf } from './statistics.ts';
import { table } from './table.ts';

/** The processor time per request in milliseconds, by process. */
type Measured = { readonly cpuMs: Readonly<Record<string, number>> };

/** One column. */
export type ProcessorColumn = { readonly title: string; readonly measured: readonly Measured[] };

/** The processor time per request of all processes together, in milliseconds. */
export const processorMs = ({ cpuMs }: Measured): number => Object.values(cpuMs).reduce((sum, each) => sum + each, 0);

/** A table of processor times, as medians and their sum. With all cores busy, they limit the throughput. */
export function processorTime(columns: readonly ProcessorColumn[]): string {
  const processes = [...new Set(columns.flatMap(({ measured }) => Object.keys(measured[0]?.cpuMs ?? {})))];
  const rows = processes
    .map((process) => ({
      process,
      values: columns.map(({ measured }) => spreadOf(measured.map(({ cpuMs }) => cpuMs[process] ?? 0)).median),
    }))
    .filter(({ values }) => values.some((value) => value >= 0.005));
  const all = columns.map((_, column) => rows.reduce((sum, { values }) => sum + (values[column] ?? 0), 0));
  return table(
    ['process', ...columns.map(({ title }) => title)],
    [...rows, { process: 'all', values: all }].map(({ process, values }) => [
      process,
      ...values.map((value) => (value < 0.005 ? '' : value.toFixed(2))),
    ]),
  );
}
