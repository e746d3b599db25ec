import { open } from 'node:fs/promises';
import { UsageError } from '../exit.ts';
import { type CsvRow, maxRecordBytes, readCsv } from './csv-file.ts';
import { type Columns, columnsOf, delimiterOf } from './lead-row.ts';

/** An open CSV file with its parsed header. */
export type LeadFile = {
  readonly path: string;
  readonly bytes: number;
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly columns: Columns;
  /** The rows after the header. */
  readonly rows: AsyncGenerator<CsvRow>;
};

/** Opens a file and parses its header. Throws UsageError when it is no CSV file of leads. */
export async function openLeadFile(path: string, options: { ignoreOthers: boolean }): Promise<LeadFile> {
  const { start, bytes } = await beginning(path);
  if (start.startsWith('\ufffd\ufffd') || start.startsWith('PK') || start.includes('\0')) {
    throw new UsageError([`${path} is not CSV in UTF-8: save it as “CSV UTF-8”`]);
  }
  const delimiter = delimiterOf(start.split('\n', 1)[0] ?? '');
  const rows = readCsv(path, delimiter);
  const first = await rows.next();
  if (first.done) throw new UsageError([`${path} is empty`]);
  if (!('fields' in first.value)) throw new UsageError([`the header of ${path} cannot be read: ${first.value.fault}`]);
  const header = first.value.fields;
  return { path, bytes, delimiter, header, columns: columnsOf(header, options), rows };
}

async function beginning(path: string): Promise<{ start: string; bytes: number }> {
  const unreadable = (error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    return new UsageError([`${path} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`]);
  };
  const file = await open(path).catch((error) => {
    throw unreadable(error);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxRecordBytes)).catch((error) => {
      throw unreadable(error);
    });
    return { start: buffer.toString('utf8', 0, bytesRead), bytes: (await file.stat()).size };
  } finally {
    await file.close();
  }
}
