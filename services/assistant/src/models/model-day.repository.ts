import type { TransactionSql } from '@mostrador/kit/database/database';

/** Counts one call of today, unless the day already has `most`. Returns whether it counted. */
export async function reserveCall(sql: TransactionSql, storeId: string, most: number): Promise<boolean> {
  const reserved = await sql`
    insert into model_days as today (store_id, day, calls)
    select ${storeId}::uuid, (clock_timestamp() at time zone 'UTC')::date, 1 where ${most}::int > 0
    on conflict (store_id, day) do update set calls = today.calls + 1 where today.calls < ${most}
    returning 1`;
  return reserved.length > 0;
}
