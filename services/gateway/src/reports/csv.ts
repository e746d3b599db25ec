export type Cell = string | number | null;

export type CsvForm = { readonly delimiter: ',' | ';'; readonly bom: boolean };

/**
 * A table as CSV (RFC 4180), with CRLF line ends and quotes where needed. No text cell begins a formula. Numbers have a
 * decimal comma if the delimiter is `;`.
 */
export function writeCsv(rows: readonly (readonly Cell[])[], { delimiter, bom }: CsvForm): string {
  const lines = rows.map((cells) => `${cells.map((cell) => written(cell, delimiter)).join(delimiter)}\r\n`);
  return `${bom ? '\uFEFF' : ''}${lines.join('')}`;
}

function written(cell: Cell, delimiter: CsvForm['delimiter']): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return delimiter === ';' ? String(cell).replace('.', ',') : String(cell);
  const text = beginsFormula.test(cell) ? `'${cell}` : cell;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet reads such a text as a formula, even after spaces. An apostrophe in front makes it a text. */
const beginsFormula = /^[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
const needsQuotes = /[",;\r\n\t]|^\s|\s$/;
