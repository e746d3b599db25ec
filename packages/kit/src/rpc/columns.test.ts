import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toColumns, toRows } from './columns.ts';

test('toColumns makes one list per member, also of nested objects', () => {
  const rows = [
    { seen: 1, median: null, by: { ai: 2 } },
    { seen: 3, median: 4, by: { ai: 5 } },
  ];
  expect(toColumns(rows)).toEqual({ seen: [1, 3], median: [null, 4], by: { ai: [2, 5] } });
});

test('toRows reverses toColumns', () => {
  const row = fc.record({ a: fc.integer(), b: fc.option(fc.double()), c: fc.record({ d: fc.integer() }) });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), (rows) => {
      expect(toRows(toColumns(rows), rows.length)).toEqual(rows);
    }),
  );
});

test('columns of the wrong length and an empty list of rows are rejected', () => {
  expect(() => toRows({ seen: [1, 2], sent: [1] }, 2)).toThrow(new RangeError('sent has 1 values for 2 rows'));
  expect(() => toRows<{ by: { ai: number } }>({ by: { ai: [1, 2, 3] } }, 2)).toThrow(RangeError);
  expect(() => toColumns([])).toThrow(RangeError);
});
