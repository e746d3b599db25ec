import { serverNiceness, servers } from './platform.ts';
import { ratios, type Spread, spreadOf } from './statistics.ts';
import { table } from './table.ts';

/** The results of a benchmark as Markdown. Its page in docs/measurements quotes the first section. */
export type Report = {
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly sections: readonly Section[];
};
export type Section = readonly [title: string, ...paragraphs: string[]];

/** All results, readable on a terminal, too. */
export const textOf = ({ settings, machine, sections }: Report): string =>
  [
    ...[settings, machine].filter((lines) => lines.length > 0).map(list),
    ...sections.flatMap(([title, ...paragraphs]) => [`### ${title}`, ...paragraphs]),
  ].join('\n\n');

/** The first section, with how and where it was measured. */
export function headlineOf({ settings, machine, sections }: Report): string {
  const [[title, ...paragraphs] = ['']] = sections;
  return [list([settings[0] ?? '', machine[0] ?? '']), `**${title}**`, ...paragraphs].join('\n\n');
}

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

/** The first settings of a report: the day, the rounds, how quiet the machine was, and its priorities. */
export const settingsOf = (rounds: string, quietness: () => string): string[] => [
  `${new Date().toISOString().slice(0, 10)}, median (minimum–maximum) of ${rounds}. ${quietness()}`,
  `${servers.join(', ')} run at niceness ${serverNiceness}, all other processes at 0, for every variant.`,
];

/** A measured figure and its limit. `holds` compares the median with the limit. */
export type Target = {
  readonly what: string;
  readonly values: readonly number[];
  readonly holds: keyof typeof comparisons;
  readonly limit: number;
  readonly unit?: string;
};

const comparisons = {
  '≥': (median: number, limit: number) => median >= limit,
  '≤': (median: number, limit: number) => median <= limit,
  '<': (median: number, limit: number) => median < limit,
};

/** The table of targets. Leaves out what was not measured. */
export const targetsTable = (targets: readonly Target[]): string =>
  table(
    ['what', 'measured', 'target', ''],
    targets
      .filter(({ values }) => values.length > 0)
      .map(({ what, values, holds, limit, unit = '' }) => [
        what,
        spread(values, unit),
        `${holds} ${limit}${unit}`,
        comparisons[holds](spreadOf(values).median, limit) ? 'reached' : 'missed',
      ]),
  );

type Latencies = { readonly p50Ms: number; readonly p99Ms: number };

export const perSecond = (measured: readonly { readonly perSecond: number }[]): number[] =>
  measured.map((each) => each.perSecond);

/** The cells of a load: requests per second, p50 and p99. */
export const loadCells = (measured: readonly (Latencies & { readonly perSecond: number })[]): string[] => [
  spread(perSecond(measured)),
  ...latencyCells(measured),
];

/** The cells p50 and p99. */
export const latencyCells = (measured: readonly Latencies[]): string[] =>
  (['p50Ms', 'p99Ms'] as const).map((percentile) => spreadMs(measured.map((each) => each[percentile])));

/** The cell with how many times as fast one variant is as another, by round. */
export const ratioCell = (of: readonly number[], to: readonly number[]): string => spread(ratios(of, to));

export const spreadMs = (values: readonly number[]): string => spread(values, ' ms');

/** `median (minimum–maximum)`; only the value when there is one. Empty without values. */
export function spread(values: readonly number[], unit = ''): string {
  if (values.length === 0) return '';
  const { median, min, max }: Spread = spreadOf(values);
  if (values.length === 1) return `${figure(median)}${unit}`;
  return `${figure(median)}${unit} (${figure(min)}–${figure(max)})`;
}

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2);
