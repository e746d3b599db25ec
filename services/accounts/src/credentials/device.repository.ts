import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

type Device = { readonly user_id: string; readonly token_hash: Uint8Array };

/** The people whose browser this is. */
export const findDevices = (sql: Sql, id: string): PromiseLike<Device[]> =>
  sql<Device[]>`select user_id, token_hash from devices where id = ${id}`;

/** Keeps a browser of a person, and the latest `most` of them. */
export async function keepDevice(
  sql: TransactionSql,
  { id, hash, userId, most }: { id: string; hash: Uint8Array; userId: string; most: number },
): Promise<void> {
  await sql`
    insert into devices (id, user_id, token_hash) values (${id}, ${userId}, ${hash})
    on conflict (id, user_id) do update set last_used_at = clock_timestamp()`;
  await sql`
    delete from devices where user_id = ${userId} and id in (
      select id from devices where user_id = ${userId} order by last_used_at desc, id offset ${most})`;
}

export async function deleteDevicesOf(sql: TransactionSql, userId: string): Promise<void> {
  await sql`delete from devices where user_id = ${userId}`;
}

/** Deletes up to `limit` of those that were not used for `days` days. Returns how many. */
export async function purgeDevices(sql: TransactionSql, days: number, limit: number): Promise<number> {
  const rows = await sql`
    delete from devices where (id, user_id) in (
      select id, user_id from devices where last_used_at < now() - make_interval(days => ${days}) limit ${limit})
    returning 1`;
  return rows.length;
}
