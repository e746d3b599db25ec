import type { TransactionSql } from '@mostrador/kit/database/database';

/**
 * What a piece of work answers, and how many rows of a table it reads, also those that a filter then removes. The
 * difference is taken, because the server adds a connection's counts to the totals at most once a second: until then
 * they show in its next transactions, too.
 */
export async function countReads<T>(
  sql: TransactionSql,
  table: string,
  work: () => Promise<T>,
): Promise<{ result: T; read: number }> {
  const before = await rowsRead(sql, table);
  const result = await work();
  return { result, read: (await rowsRead(sql, table)) - before };
}

async function rowsRead(sql: TransactionSql, table: string): Promise<number> {
  const [row] = await sql<{ read: number }[]>`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
    from pg_stat_xact_user_tables where relid = ${table}::regclass`;
  return row?.read ?? 0;
}
