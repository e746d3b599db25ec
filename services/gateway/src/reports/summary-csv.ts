import { SummaryReport } from '@mostrador/contracts';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { TSchema } from '@sinclair/typebox';
import { type Cell, writeCsv } from './csv.ts';
import { dateIn } from './period.ts';

/** A row's counts by column: `leads_created`, `conversations_messages_outbound_ai`, … */
type Counts = Readonly<Record<string, Cell>>;

/** The columns before the counts. `date` is the local date of `start` in the report's time zone. */
const leading = ['row', 'date', 'start', 'seller_id', 'seller_leads'] as const;
const columns: readonly string[] = [
  ...leading,
  ...(['leads', 'conversations', 'appointments', 'followups'] as const).flatMap((part) =>
    columnsOf(part, SummaryReport.properties[part]),
  ),
];

/** A column for each number in the schema, so that the header is the same for every report. */
function columnsOf(name: string, schema: TSchema): string[] {
  if (schema.type !== 'object') return [name];
  return Object.entries<TSchema>(schema.properties).flatMap(([member, inner]) => columnsOf(`${name}_${member}`, inner));
}

/**
 * The summary as one table: a row for the whole period, one for each bucket (`row` is `series`), one for each seller.
 * A cell is empty where the row does not have the count.
 */
export function summaryCsv({ period, sellers, series = [], ...counts }: SummaryReport): string {
  const began = (row: string, start: string | null) => ({
    row,
    start,
    date: start && dateIn(period.timezone, toInstant(start)),
  });
  const rows: Counts[] = [
    { ...began('period', period.from), ...flat(counts) },
    ...series.map(({ start, ...ofBucket }) => ({ ...began('series', start), ...flat(ofBucket) })),
    ...sellers.map(({ seller_id, leads, converted }) => ({
      row: 'seller',
      seller_id,
      seller_leads: leads,
      leads_converted: converted,
    })),
  ];
  return writeCsv([columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]);
}

const flat = (counts: object): Counts => Object.fromEntries(entriesOf('', counts));

function entriesOf(path: string, value: object): [string, Cell][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' && inner !== null
      ? entriesOf(`${path}${name}_`, inner)
      : [[`${path}${name}`, inner as Cell] as [string, Cell]],
  );
}
