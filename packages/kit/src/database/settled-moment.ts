import type { Sql } from './database.ts';

/**
 * Rows that this role dates before this moment are committed, or never will be. It is the start of the role's oldest
 * running transaction, rounded down to the millisecond. A later read up to this moment misses nothing, as long as rows
 * are dated by the clock inside their transaction: docs/adr/0010.
 */
export async function findSettledMoment(sql: Sql): Promise<Date> {
  // A server without `track_activities` shows no start times. No transaction of ours lasts longer than 30 s.
  const [row] = await sql<[{ settled: Date }]>`
    select date_trunc('milliseconds', coalesce(min(xact_start), clock_timestamp() - interval '31 seconds')) as settled
    from pg_stat_activity where datname = current_database() and usename = current_user`;
  return row.settled;
}
