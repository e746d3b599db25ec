export type Cell = string | number | null;

/** A table as CSV (RFC 4180), with CRLF line ends and quotes where needed. No text cell begins a formula. */
export const writeCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => `${cells.map(written).join(',')}\r\n`).join('');

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = beginsFormula.test(cell) ? `'${cell}` : cell;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet reads such a text as a formula, even after spaces. An apostrophe in front makes it a text. */
const beginsFormula = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const needsQuotes = /[",;\r\n\t]|^\s|\s$/;
