import { type Report, ratioCell, spread, type Target, targetsTable } from '../shared/report.ts';
import { spreadOf } from '../shared/statistics.ts';
import { table } from '../shared/table.ts';
import type { ReadResult } from './reader.ts';

/** What is measured, each in turn. */
export const ways = ['ndjson', 'csv', 'walk', 'copy'] as const;
type Way = (typeof ways)[number];
const names: Record<Way, string> = {
  ndjson: 'export as NDJSON',
  csv: 'export as CSV',
  walk: 'walk over pages of 200',
  copy: 'COPY of PostgreSQL, without a service',
};

/** The processes that rows pass through. */
export const measured = ['gateway', 'crm', 'nats', 'postgres'] as const;
/** Megabytes. */
export type Memory = Readonly<Record<(typeof measured)[number], number>>;

export type Reading = ReadResult & {
  readonly way: Way;
  readonly before: Memory;
  /** While it ran, at even times. */
  readonly memory: readonly Memory[];
};

export type ExportsFindings = Pick<Report, 'settings' | 'machine'> & {
  readonly rows: number;
  readonly readings: readonly Reading[];
  /** The open transactions of crm while the reader of an export takes nothing, at even times. */
  readonly transactions: readonly number[];
  readonly stalled: readonly Memory[];
};

const grownLimitMb = 16;
const shareOfWalk = 1;

export function reportExports(findings: ExportsFindings): Report {
  const { rows, readings, transactions, stalled } = findings;
  const of = (way: Way) => readings.filter((reading) => reading.way === way);
  const rates = (way: Way) => of(way).map((each) => (each.rows * 1000) / each.durationMs);
  const ofExports = [...of('ndjson'), ...of('csv')];
  const grown = (name: keyof Memory): Target => ({
    what: `${name}: memory in the last quarter of an export, beyond that in the second`,
    values: ofExports.map(({ memory }) => quarter(memory, 3, name) - quarter(memory, 1, name)),
    ...{ holds: '≤', limit: grownLimitMb, unit: ' MB' },
  });
  return {
    ...findings,
    sections: [
      [
        'Targets',
        targetsTable([
          {
            what: 'leads that an export lacked, or had twice',
            values: ofExports.map((each) => Math.abs(each.rows - rows)),
            ...{ holds: '≤', limit: 0 },
          },
          grown('gateway'),
          grown('crm'),
          {
            what: 'rows/s of the export as NDJSON, to those of the walk',
            values: rates('ndjson').map((rate, round) => rate / (rates('walk')[round] ?? Number.NaN)),
            ...{ holds: '≥', limit: shareOfWalk },
          },
          {
            what: 'open transactions of crm while the reader takes nothing',
            values: transactions,
            ...{ holds: '≤', limit: 0 },
          },
        ]),
      ],
      [
        'Rows',
        table(
          ['way', 'rows/s', 'duration', 'megabytes', 'to the COPY'],
          ways.map((way) => [
            names[way],
            spread(rates(way)),
            spread(
              of(way).map(({ durationMs }) => durationMs / 1000),
              ' s',
            ),
            spread(of(way).map(({ bytes }) => bytes / 1e6)),
            ratioCell(rates(way), rates('copy')),
          ]),
        ),
      ],
      ...(['ndjson', 'csv', 'walk'] as const).map((way): Report['sections'][number] => [
        `Memory: ${names[way]}`,
        memoryTable(of(way)),
      ]),
      [
        'Memory: an export whose reader takes nothing',
        table(
          ['process', 'memory'],
          measured.map((name) => [
            name,
            spread(
              stalled.map((each) => each[name]),
              ' MB',
            ),
          ]),
        ),
      ],
    ],
  };
}

/** The median of one quarter of the time. */
function quarter(memory: readonly Memory[], number: number, name: keyof Memory): number {
  const [from, to] = [number, number + 1].map((each) => Math.floor((memory.length * each) / 4));
  return spreadOf(memory.slice(from, to).map((each) => each[name])).median;
}

function memoryTable(readings: readonly Reading[]): string {
  return table(
    ['process', 'before', '1st quarter', '2nd', '3rd', '4th', 'most'],
    measured.map((name) => [
      name,
      spread(
        readings.map(({ before }) => before[name]),
        ' MB',
      ),
      ...[0, 1, 2, 3].map((number) =>
        spread(
          readings.map(({ memory }) => quarter(memory, number, name)),
          ' MB',
        ),
      ),
      spread([Math.max(...readings.flatMap(({ memory }) => memory.map((each) => each[name])))], ' MB'),
    ]),
  );
}
