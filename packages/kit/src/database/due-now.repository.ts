import type { Sql } from './database.ts';

/**
 * SQL expression: a moment that has come, for the column that says when a row is due. Such columns keep milliseconds, and
 * PostgreSQL rounds to the nearest one: `clock_timestamp()` may become half a millisecond from now.
 */
export const dueNow = (sql: Sql) => sql`date_trunc('milliseconds', clock_timestamp())`;
