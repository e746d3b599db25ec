import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CsvRow, maxRecordBytes, readCsv } from './csv-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mostrador-csv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(content: string | Buffer, delimiter = ','): Promise<CsvRow[]> {
  const path = join(folder, 'leads.csv');
  await writeFile(path, content);
  const rows: CsvRow[] = [];
  for await (const row of readCsv(path, delimiter)) rows.push(row);
  return rows;
}

/** Each row as `[line, fields]`, or as `[line, text of the broken line]`. */
const seen = (rows: CsvRow[]) => rows.map((row) => [row.line, 'fields' in row ? row.fields : row.broken]);

test('the reader handles a byte order mark, CRLF, quoted separators, quotation marks and line breaks', async () => {
  const rows = await read('\ufeffname,phone\r\n"Silva, ""Mia""\r\nMaria",1\r\n\r\nRui,2\r\n');
  expect(seen(rows)).toEqual([
    [1, ['name', 'phone']],
    [2, ['Silva, "Mia"\r\nMaria', '1']],
    [5, ['Rui', '2']],
  ]);
});

test('the last line needs no line break, and an empty file has no rows', async () => {
  expect(seen(await read('a,b\nc,d'))).toEqual([
    [1, ['a', 'b']],
    [2, ['c', 'd']],
  ]);
  expect(await read('')).toEqual([]);
});

test.each([
  ['never closed', '"Maria,2'],
  ['closed in the middle of a field', '"Mar"ia,2'],
  ['in a field without them', 'Maria "Mia",2'],
])('a quotation mark %s breaks only its own line', async (_, broken) => {
  const rows = await read(`\ufeffname,phone\r\nRui,1\r\n\r\n${broken}\r\nAna,3\r\n"Zé",4\r\n`);
  expect(seen(rows)).toEqual([
    [1, ['name', 'phone']],
    [2, ['Rui', '1']],
    [4, broken],
    [5, ['Ana', '3']],
    [6, ['Zé', '4']],
  ]);
});

test('an open quotation mark far before the end of the file breaks only its own line', async () => {
  const rest = Array.from({ length: 20_000 }, (_, i) => `Lead ${i},${i}\n`).join('');
  const rows = await read(`name,phone\n"Maria,1\n${rest}`);
  expect(seen(rows.slice(1, 3))).toEqual([
    [2, '"Maria,1'],
    [3, ['Lead 0', '0']],
  ]);
  expect(rows).toHaveLength(20_002);
  expect(rows.at(-1)).toMatchObject({ line: 20_002, bytesRead: Buffer.byteLength(`name,phone\n"Maria,1\n${rest}`) });
});

test('a line longer than 64 KiB is reported as broken and skipped', async () => {
  const rows = await read(`name,phone\n${'x'.repeat(5 * maxRecordBytes)},1\nRui,2\n`);
  expect(rows[1]).toMatchObject({ line: 2, fault: 'is longer than 64 KiB' });
  expect(rows[1]).toHaveProperty('broken.length', maxRecordBytes);
  expect(seen(rows.slice(2))).toEqual([[3, ['Rui', '2']]]);
});

test('every record that RFC 4180 allows is read with its line number', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', '\r\n', ' ', '🦉'), maxLength: 8 });
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(field, field), { maxLength: 30 }), async (records) => {
      const lines = records.map((fields) => fields.map(quote).join(','));
      let line = 1;
      const expected = records.map((fields, i) => {
        const at = line;
        line += lines[i]?.split('\n').length ?? 0;
        return [at, fields];
      });
      expect(seen(await read(lines.map((text) => `${text}\r\n`).join('')))).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});
