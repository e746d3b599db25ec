import type { Operation } from '@mostrador/contracts';
import { type Cell, writeCsv } from '../reports/csv.ts';

/** The media types of an export. */
export const exportTypes = ['application/x-ndjson', 'text/csv'] as const;
export type ExportType = (typeof exportTypes)[number];

/** A row of a list, as its service answered it. */
type Row = Readonly<Record<string, unknown>>;

/** Writes an export: its beginning, then the rows of one page after the other. */
export type ExportWriter = {
  readonly contentType: string;
  readonly beginning: string;
  readonly write: (rows: readonly Row[]) => string;
};

const csvForm = { delimiter: ',', bom: false } as const;

/** The writer of the rows of a list. */
export function exportWriter(type: ExportType, { reply }: Operation): ExportWriter {
  if (type === 'application/x-ndjson') {
    return {
      contentType: type,
      beginning: '',
      write: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    };
  }
  // The schema has every member, so the header is the same for each export.
  const columns = Object.keys(reply.properties.data.items.properties);
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    beginning: writeCsv([columns], csvForm),
    write: (rows) =>
      writeCsv(
        rows.map((row) => columns.map((column) => cellOf(row[column]))),
        csvForm,
      ),
  };
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'number' ? value : String(value);
}
