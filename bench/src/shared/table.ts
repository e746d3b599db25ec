/** A Markdown table with aligned columns. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(3, ...[cell, ...rows.map((row) => row[column] ?? '')].map(lengthOf)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const lengthOf = (text: string): number => [...text].length;
const pad = (text: string, width: number): string => text + ' '.repeat(width - lengthOf(text));
