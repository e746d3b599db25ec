import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

/** The columns that come before the file's own. */
export const rejectedHeadings = ['line', 'reason'] as const;

/** Takes the rows that did not go in. The file exists only when there are any. */
export type RejectedFile = {
  readonly path: string;
  readonly count: number;
  add(line: number, reason: string, fields: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

/** A file of rejected rows, in the columns of the input and with its separator; that of an earlier run goes. */
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
    // The rows name people: for the one who runs the command alone.
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

/** Whether a spreadsheet would take the cell for a formula. */
export const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);

/** A cell by RFC 4180. One that would be a formula begins with an apostrophe instead. */
function cellOf(text: string): string {
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
