import type { Sql } from './database.ts';

/** The time of the database clock. Read after a lock, because the statement that takes one may wait for it. */
export async function readClock(sql: Sql): Promise<Date> {
  const [row] = await sql<[{ now: Date }]>`select clock_timestamp() as now`;
  return row.now;
}
