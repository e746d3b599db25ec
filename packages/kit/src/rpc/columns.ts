import type { Columns } from '@mostrador/contracts/core';

/** Converts rows with the same members to columns. Throws `RangeError` without a row to take the members from. */
export function toColumns<Row extends object>(rows: readonly Row[]): Columns<Row> {
  const [first] = rows;
  if (first === undefined) throw new RangeError('no rows');
  const columns = Object.entries(first).map(([name, value]) => {
    const values = rows.map((row) => row[name as keyof Row]);
    return [name, isObject(value) ? toColumns(values as object[]) : values];
  });
  return Object.fromEntries(columns);
}

/** Converts columns to `count` rows. Throws `RangeError` when a column does not have `count` values. */
export function toRows<Row extends object>(columns: Columns<Row>, count: number): Row[] {
  const rows = Array.from({ length: count }, () => ({}) as Record<string, unknown>);
  for (const [name, column] of Object.entries<readonly unknown[] | Columns<object>>(columns)) {
    const values = Array.isArray(column) ? column : toRows(column as Columns<object>, count);
    if (values.length !== count) throw new RangeError(`${name} has ${values.length} values for ${count} rows`);
    rows.forEach((row, index) => {
      row[name] = values[index];
    });
  }
  return rows as Row[];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
