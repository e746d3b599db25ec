import type { Sql } from './database.ts';

/**
 * What this role writes and dates before this moment has been committed, or never will be: the beginning of the oldest
 * of its transactions that still runs. What is read after it misses nothing, as long as rows are dated by the clock
 * inside the transaction: docs/adr/0010. To the millisecond, rounded down.
 */
export async function findSettledMoment(sql: Sql): Promise<Date> {
  // A server that does not track activities shows no beginnings. None of our transactions lasts longer than 30 s.
  const [row] = await sql<[{ settled: Date }]>`
    select date_trunc('milliseconds', coalesce(min(xact_start), clock_timestamp() - interval '31 seconds')) as settled
    from pg_stat_activity where datname = current_database() and usename = current_user`;
  return row.settled;
}
