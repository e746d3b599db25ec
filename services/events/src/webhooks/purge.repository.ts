import type { TransactionSql } from '@mostrador/kit/database/database';

// Each statement removes up to `limit` rows, and returns how many there were.

const daysAgo = (sql: TransactionSql, days: number) => sql`now() - ${days} * interval '1 day'`;

export async function clearBodies(sql: TransactionSql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    update webhook_attempts set response_body = null where ctid = any(array(
      select ctid from webhook_attempts
      where response_body is not null and started_at < ${daysAgo(sql, days)} limit ${limit}))`;
  return count;
}

export async function deleteAttempts(sql: TransactionSql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from webhook_attempts where ctid = any(array(
      select ctid from webhook_attempts where started_at < ${daysAgo(sql, days)} limit ${limit}))`;
  return count;
}

/** Deliveries that became final so long ago. Open ones stay. */
export async function deleteDeliveries(sql: TransactionSql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries where ctid = any(array(
      select ctid from webhook_deliveries where completed_at < ${daysAgo(sql, days)} limit ${limit}))`;
  return count;
}

/** Everything of the endpoint that was deleted first, and at last its row. */
export async function deleteOfDeleted(sql: TransactionSql, limit: number): Promise<number> {
  const [endpoint] = await sql<{ store_id: string; id: string }[]>`
    select store_id, id from webhook_endpoints where deleted_at is not null order by deleted_at limit 1`;
  if (!endpoint) return 0;
  const { store_id, id } = endpoint;
  for (const table of ['webhook_attempts', 'webhook_deliveries', 'webhook_replays']) {
    const { count } = await sql`
      delete from ${sql(table)} where ctid = any(array(
        select ctid from ${sql(table)} where store_id = ${store_id} and endpoint_id = ${id} limit ${limit}))`;
    if (count > 0) return limit;
  }
  await sql`delete from webhook_endpoints where store_id = ${store_id} and id = ${id}`;
  return limit;
}
