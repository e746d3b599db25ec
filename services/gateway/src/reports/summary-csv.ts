import { type CsvQuery, type ReportBucket, type ReportTable, SummaryReport } from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { TSchema } from '@sinclair/typebox';
import { prefersToJson } from '../http/media-type.ts';
import { type Cell, writeCsv } from './csv.ts';
import { dateIn } from './period.ts';

/** A row's counts by column: `leads_created`, `conversations_messages_outbound_ai`, … */
type Counts = Readonly<Record<string, Cell>>;

type Table = { readonly columns: readonly string[]; readonly rows: (report: SummaryReport) => Counts[] };

const { properties } = SummaryReport;
const countColumns = (schemas: Readonly<Record<string, TSchema>>): string[] =>
  (['leads', 'conversations', 'appointments', 'followups'] as const).flatMap((part) =>
    columnsOf(part, schemas[part] as TSchema),
  );

/** Each file has one table, except for `all`. `date` is the local date of `start` in the report's time zone. */
const tables: Record<ReportTable | 'all', Table> = {
  totals: {
    columns: [...Object.keys(properties.period.properties), ...countColumns(properties)],
    rows: ({ period, sellers: _, series: __, ...counts }) => [{ ...period, ...flat(counts) }],
  },
  series: {
    columns: ['date', 'start', ...countColumns(properties.series.items.properties)],
    rows: ({ period, series = [] }) =>
      series.map(({ start, ...counts }) => ({ ...began(period, start), ...flat(counts) })),
  },
  sellers: {
    columns: Object.keys(properties.sellers.items.properties),
    rows: ({ sellers }) => sellers.map(flat),
  },
  ads: {
    columns: Object.keys(properties.conversations.properties.by_ad.items.properties),
    rows: ({ conversations: { by_ad = [] } }) => by_ad.map(flat),
  },
  // A cell is empty where the row does not have the count.
  all: {
    columns: ['row', 'date', 'start', 'seller_id', 'seller_leads', ...countColumns(properties), 'seller_name'],
    rows: ({ period, sellers, series = [], ...counts }) => [
      { row: 'period', ...began(period, period.from), ...flat(counts) },
      ...series.map(({ start, ...ofBucket }) => ({ row: 'series', ...began(period, start), ...flat(ofBucket) })),
      ...sellers.map(({ seller_id, name = null, leads, converted }) => ({
        ...{ row: 'seller', seller_id, seller_name: name },
        ...{ seller_leads: leads, leads_converted: converted },
      })),
    ],
  },
};

const began = ({ timezone }: SummaryReport['period'], start: string | null) => ({
  start,
  date: start && dateIn(timezone, toInstant(start)),
});

/** A column for each number in the schema, so that the header is the same for every report. */
function columnsOf(name: string, schema: TSchema): string[] {
  // Lists are rows of a table of their own, if they are in any.
  if (schema.type === 'array') return [];
  if (schema.type !== 'object') return [name];
  return Object.entries<TSchema>(schema.properties).flatMap(([member, inner]) => columnsOf(`${name}_${member}`, inner));
}

/** The rendering that a request for the summary asks for, and the query without it: the handler does not know it. */
export function readCsvQuery(
  { format, table, delimiter, bom, ...query }: CsvQuery & { bucket?: ReportBucket },
  accept: string | undefined,
): { query: object; render?: (report: SummaryReport) => string } {
  const isCsv = format === undefined ? prefersToJson(accept, 'text/csv') : format === 'csv';
  // The others do not matter to JSON. Some clients always send a parameter that has a default.
  if (!isCsv) return { query };
  if (table === 'series' && query.bucket === undefined) {
    throw validationFailed([{ in: 'query', name: 'bucket', detail: 'is required with `table=series`' }]);
  }
  const { columns, rows } = tables[table ?? 'all'];
  const form = { delimiter: delimiter === 'semicolon' ? ';' : ',', bom: bom ?? false } as const;
  const cells = (report: SummaryReport) => rows(report).map((row) => columns.map((column) => row[column] ?? null));
  return { query, render: (report) => writeCsv([columns, ...cells(report)], form) };
}

const flat = (counts: object): Counts => Object.fromEntries(entriesOf('', counts));

function entriesOf(path: string, value: object): [string, Cell][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'object' && inner !== null
      ? entriesOf(`${path}${name}_`, inner)
      : [[`${path}${name}`, inner as Cell] as [string, Cell]],
  );
}
