import type { TransactionSql } from '@mostrador/kit/database/database';

/**
 * How many rows of a table the current transaction has read so far, also those that a filter then removed. What the
 * connection read within the second before may count, too: after other work on it, take the difference.
 */
export async function rowsRead(sql: TransactionSql, table: string): Promise<number> {
  const [row] = await sql<{ read: number }[]>`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
    from pg_stat_xact_user_tables where relid = ${table}::regclass`;
  return row?.read ?? 0;
}
