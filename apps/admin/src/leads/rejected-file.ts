import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** The columns in front of those of the input. */
export const rejectedHeadings = ['line', 'reason'] as const;

/** The file of rejected rows. It exists only when it has at least one row. */
export type RejectedFile = {
  readonly path: string;
  readonly count: number;
  add(line: number, reason: string, fields: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

/** Creates a file of rejected rows with the input's columns and separator. Deletes the file of an earlier run. */
export async function createRejectedFile(
  path: string,
  header: readonly string[],
  delimiter: string,
): Promise<RejectedFile> {
  await rm(path, { force: true });
  let stream: WriteStream | undefined;
  let failure: Error | undefined;
  let count = 0;
  const open = () => {
    // The rows contain personal data, so only the user who runs the command may read the file.
    const opened = createWriteStream(path, { mode: 0o600 });
    opened.on('error', (error) => {
      failure ??= error;
    });
    opened.write(lineOf([...rejectedHeadings, ...header], delimiter));
    return opened;
  };
  return {
    path,
    get count() {
      return count;
    },
    async add(line, reason, fields) {
      if (failure) throw failure;
      stream ??= open();
      count++;
      if (!stream.write(lineOf([String(line), reason, ...fields], delimiter))) await once(stream, 'drain');
    },
    async close() {
      if (!stream) return;
      stream.end();
      await finished(stream);
    },
  };
}

const lineOf = (cells: readonly string[], delimiter: string): string => `${cells.map(cellOf).join(delimiter)}\r\n`;

/** Whether a spreadsheet would read the cell as a formula. */
export const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);

/** Quotes a cell by RFC 4180. A cell that would be a formula gets an apostrophe in front. */
function cellOf(text: string): string {
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
