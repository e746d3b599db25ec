import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cell, writeCsv } from './csv.ts';

const plain = (rows: Cell[][]) => writeCsv(rows, { delimiter: ',', bom: false });

test('lines end in CRLF, null is an empty cell, and numbers stay unquoted', () => {
  expect(
    plain([
      ['a', 'b'],
      ['x', 1.5],
      [null, -2],
    ]),
  ).toBe('a,b\r\nx,1.5\r\n,-2\r\n');
});

test('with semicolons numbers have a decimal comma, and a text with either delimiter is quoted', () => {
  expect(writeCsv([['a,b', 'c;d', 1.5, -2]], { delimiter: ';', bom: false })).toBe('"a,b";"c;d";1,5;-2\r\n');
});

test('a byte order mark comes first, once', () => {
  expect(writeCsv([['a'], ['b']], { delimiter: ',', bom: true })).toBe('\uFEFFa\r\nb\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1', '＝1'])('%j does not begin a formula', (text) => {
  expect(plain([[text]])).toMatch(/^"?'/);
});

/** A parser of RFC 4180 that is independent of the writer. */
function read(csv: string): string[][] {
  const cells = [...csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)];
  expect(cells.map(([whole]) => whole).join('')).toBe(csv);
  const rows: string[][] = [[]];
  for (const [, quoted, bare = '', end] of cells) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

test('every cell is read back unchanged, except for the apostrophe before a possible formula', () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[=+@"',;\r\n\t a-]{0,8}$/));
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), (rows) => {
      const back = read(plain(rows));
      expect(back.map((cells) => cells.length)).toEqual(rows.map((cells) => cells.length));
      for (const [index, cells] of rows.entries()) {
        for (const [column, text] of cells.entries()) expect([text, `'${text}`]).toContain(back[index]?.[column]);
      }
    }),
  );
});
