import type { Row as AnyRow, PendingQuery } from 'postgres';
import type { Sql } from '../database/database.ts';
import type { OverdueRows } from './overdue.ts';

type Fragment = (sql: Sql) => PendingQuery<AnyRow[]>;

/** A table whose rows have a next step. It has the columns `store_id` and `woken_at`. */
export type OverdueTable = {
  readonly table: string;
  /** The column that names a row of a store. */
  readonly key: string;
  /** The column with the time of the next step. */
  readonly due: string;
  /** Which rows have a next step. Write it as the condition of the index on `due`. */
  readonly where?: Fragment;
  /** What `take` returns beside `store_id`. The row is `woken`. */
  readonly columns: Fragment;
};

/**
 * Takes and counts the overdue rows of one table, the most overdue first. It compares with `now()`, because a volatile
 * function such as `clock_timestamp()` cannot be an index condition.
 */
export function overdueIn<Row extends { readonly store_id: string }>(
  rows: OverdueTable,
): Pick<OverdueRows<Row>, 'take' | 'count' | 'longest'> {
  const { table, key, due, columns, where = (sql) => sql`true` } = rows;
  const isOverdue = (sql: Sql, overdueMs: number) => sql`
    (${where(sql)}) and ${sql(due)} < now() - ${overdueMs} * interval '1 millisecond'`;
  return {
    take: async (sql, { overdueMs, againMs, limit }) =>
      await sql<Row[]>`
        update ${sql(table)} woken set woken_at = clock_timestamp()
        from (
          select store_id, ${sql(key)} from ${sql(table)}
          where ${isOverdue(sql, overdueMs)}
            and (woken_at is null or woken_at < now() - ${againMs} * interval '1 millisecond')
          order by ${sql(due)}
          limit ${limit}
          for no key update skip locked
        ) overdue
        where woken.store_id = overdue.store_id and woken.${sql(key)} = overdue.${sql(key)}
        returning woken.store_id, ${columns(sql)}`,
    count: async (sql, { overdueMs, limit }) =>
      (await sql`select from ${sql(table)} where ${isOverdue(sql, overdueMs)} limit ${limit}`).length,
    longest: async (sql, overdueMs) => {
      const [row] = await sql<{ seconds: number }[]>`
        select extract(epoch from now() - ${sql(due)})::float8 as seconds
        from ${sql(table)} where ${isOverdue(sql, overdueMs)} order by ${sql(due)} limit 1`;
      return row?.seconds ?? 0;
    },
  };
}
