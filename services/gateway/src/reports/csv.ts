export type Cell = string | number | null;

/** A table as CSV (RFC 4180): lines end in CRLF, what needs quotes has them. No text in it begins a formula. */
export const writeCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => `${cells.map(written).join(',')}\r\n`).join('');

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = beginsFormula.test(cell) ? `'${cell}` : cell;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a spreadsheet takes for a formula, also behind spaces; the apostrophe makes a text of it. */
const beginsFormula = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const needsQuotes = /[",;\r\n\t]|^\s|\s$/;
