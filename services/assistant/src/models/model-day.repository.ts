import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Attempt } from '@mostrador/kit/step/retry-engine';

/** Counts one call of today, if `from` has a row, unless the day already has `most`. Returns a row if it counted. */
const counting = (sql: Sql, storeId: string, most: number, from = sql``) => sql`
  insert into model_days as today (store_id, day, calls)
  select ${storeId}::uuid, (clock_timestamp() at time zone 'UTC')::date, 1 ${from} where ${most}::int > 0
  on conflict (store_id, day) do update set calls = today.calls + 1 where today.calls < ${most}
  returning 1`;

/** Counts one call of today, unless the day already has `most`. Returns whether it counted. */
export const reserveCall = async (sql: TransactionSql, storeId: string, most: number): Promise<boolean> =>
  (await counting(sql, storeId, most)).length > 0;

/** The same for an attempt of a turn. `holdsLease` false: it has lost its lease, and nothing is counted. */
export const reserveCallOf = (sql: Sql, { storeId, id, leaseToken }: Attempt, most: number) =>
  sql<[{ holdsLease: boolean; isReserved: boolean }]>`
    with held as (
      select from ai_turns where store_id = ${storeId} and id = ${id} and lease_token = ${leaseToken}
    ), reserved as (${counting(sql, storeId, most, sql`from held`)})
    select exists (select from held) as "holdsLease", exists (select from reserved) as "isReserved"`;
