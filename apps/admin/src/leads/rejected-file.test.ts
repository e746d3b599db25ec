import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCsv } from './csv-file.ts';
import { createRejectedFile } from './rejected-file.ts';

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mostrador-rejected-'));
  path = join(folder, 'leads.csv.rejected.csv');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a run without rejected rows leaves no file and deletes that of an earlier run', async () => {
  await writeFile(path, 'old');
  const file = await createRejectedFile(path, ['name'], ',');
  await file.close();
  expect([file.count, existsSync(path)]).toEqual([0, false]);
});

test('each row keeps its line, reason and fields, including quotation marks, separators and line breaks', async () => {
  const rows = [
    ['a "quoted" name', 'x,y;z'],
    ['two\r\nlines', ' spaced '],
    ['', 'é'],
  ];
  const file = await createRejectedFile(path, ['name', 'customer_phone'], ';');
  await Promise.all(rows.map((fields, i) => file.add(i + 2, 'name; phone', fields)));
  await file.close();
  const read: unknown[] = [];
  for await (const row of readCsv(path, ';')) if ('fields' in row) read.push(row.fields);
  expect(read).toEqual([
    ['line', 'reason', 'name', 'customer_phone'],
    ...rows.map((fields, i) => [String(i + 2), 'name; phone', ...fields]),
  ]);
  expect((await stat(path)).mode & 0o077).toBe(0);
});

test.each(['=1+1', '+55', '-1', '@x', '\t=1', '\r=1'])('the cell %j cannot become a formula', async (cell) => {
  const file = await createRejectedFile(path, ['name'], ',');
  await file.add(2, 'reason', [cell]);
  await file.close();
  const [, row] = (await readFile(path, 'utf8')).split(/(?<=reason,name)\r\n/);
  expect(row).toMatch(/^2,reason,"?'/);
});

test('closing an unwritable file fails, so no row is lost silently', async () => {
  const file = await createRejectedFile(join(folder, 'no', 'such.csv'), ['name'], ',');
  await file.add(2, 'reason', ['x']);
  await expect(file.close()).rejects.toMatchObject({ code: 'ENOENT' });
});
