import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { type CsvError, parse } from 'csv-parse';

/** One record of a CSV file with its fields, or one broken line with its text. */
export type CsvRow = {
  /** The number of its first line, from 1. */
  readonly line: number;
  /** The position of its end in the file, in bytes. */
  readonly bytesRead: number;
} & ({ readonly fields: readonly string[] } | { readonly broken: string; readonly fault: string });

/** A longer record counts as broken: most likely a quotation mark was never closed. Bounds the memory. */
export const maxRecordBytes = 64 * 1024;

const quotesFault = 'has unmatched quotation marks: quote the whole field, and double each quotation mark inside it';
const lengthFault = `is longer than ${maxRecordBytes / 1024} KiB`;

/**
 * Reads a CSV file (RFC 4180; lines may also end in a bare LF) as a stream, in bounded memory. Unmatched quotation
 * marks break only their own line: the reader yields that line as broken and continues with the next one.
 */
export async function* readCsv(path: string, delimiter: string): AsyncGenerator<CsvRow> {
  let from: Position = { byte: 0, line: 1 };
  for (;;) {
    const failure = yield* readFrom(path, delimiter, from);
    if (failure === undefined) return;
    const broken = await readLine(path, failure.at);
    if (broken === undefined) return;
    const { line, text, next } = broken;
    const fault = Buffer.byteLength(text) >= maxRecordBytes ? lengthFault : quotesFault;
    yield { line, bytesRead: next.byte, broken: text, fault };
    from = next;
  }
}

type Position = { readonly byte: number; readonly line: number };
type ParsedRecord = { fields: string[]; lines: number; bytes: number };

/** Reads records until the end of the file. When a record is broken, returns the position where it begins. */
async function* readFrom(
  path: string,
  delimiter: string,
  start: Position,
): AsyncGenerator<CsvRow, { at: Position } | undefined> {
  let records: ParsedRecord[] = [];
  let failure: CsvError | undefined;
  const parser = parse({
    bom: start.byte === 0,
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
    // Keeps the records here, because the stream drops records that it has read when a later one is broken.
    on_record: (fields: string[], { lines, bytes }) => {
      records.push({ fields, lines, bytes });
      return null;
    },
  });
  parser.on('error', (error: CsvError) => {
    failure = error;
  });
  parser.resume();

  let at = start;
  // The parser counts a CRLF inside a field as two lines.
  let countedTwice = 0;
  function* take(): Generator<CsvRow> {
    const taken = records;
    records = [];
    for (const { fields, lines, bytes } of taken) {
      const breaks = countBreaks(fields);
      countedTwice += breaks.ofTwo;
      const lastLine = start.line - 1 + lines - countedTwice;
      at = { byte: start.byte + bytes, line: lastLine + 1 };
      yield { line: lastLine - breaks.all, bytesRead: at.byte, fields };
    }
  }

  const source = createReadStream(path, { start: start.byte });
  try {
    for await (const chunk of source) {
      await new Promise<void>((resolve) => parser.write(chunk, () => resolve()));
      yield* take();
      if (failure) return { at };
    }
    await new Promise<void>((resolve) => parser.end(() => resolve()));
    yield* take();
    return failure && { at };
  } finally {
    source.destroy();
    parser.destroy();
  }
}

function countBreaks(fields: readonly string[]): { all: number; ofTwo: number } {
  let all = 0;
  let ofTwo = 0;
  for (const field of fields) {
    for (let i = field.indexOf('\n'); i >= 0; i = field.indexOf('\n', i + 1)) {
      all++;
      if (field[i - 1] === '\r') ofTwo++;
    }
  }
  return { all, ofTwo };
}

/** Reads the first line that is not empty, cut at `maxRecordBytes`, and the position of the line after it. */
async function readLine(
  path: string,
  at: Position,
): Promise<{ line: number; text: string; next: Position } | undefined> {
  const file = await open(path);
  try {
    let { byte, line } = at;
    const kept: Buffer[] = [];
    let keptBytes = 0;
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(maxRecordBytes), 0, maxRecordBytes, byte);
      if (bytesRead === 0 && keptBytes === 0) return undefined;
      let begin = 0;
      if (keptBytes === 0) {
        while (begin < bytesRead && isBreak(buffer[begin])) if (buffer[begin++] === lineFeed) line++;
      }
      const lineEnd = buffer.subarray(0, bytesRead).indexOf(lineFeed, begin);
      const end = lineEnd < 0 ? bytesRead : lineEnd;
      const part = buffer.subarray(begin, Math.min(end, begin + maxRecordBytes - keptBytes));
      kept.push(part);
      keptBytes += part.length;
      byte += lineEnd < 0 ? bytesRead : lineEnd + 1;
      if (lineEnd >= 0 || bytesRead === 0) {
        const text = Buffer.concat(kept).toString().replace(/\r$/, '');
        return { line, text, next: { byte, line: line + 1 } };
      }
    }
  } finally {
    await file.close();
  }
}

const lineFeed = 0x0a;
const isBreak = (byte: number | undefined): boolean => byte === lineFeed || byte === 0x0d;
