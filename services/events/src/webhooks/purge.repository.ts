import type { TransactionSql } from '@mostrador/kit/database/database';
import { deleteEndpoint } from './endpoints/watch.repository.ts';

// Each function removes up to `limit` rows, and returns how many there were. The system role sees only some columns, so
// rows are named by their keys.

const daysAgo = (sql: TransactionSql, days: number) => sql`now() - ${days} * interval '1 day'`;

export async function clearBodies(sql: TransactionSql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    update webhook_attempts a set response_body = null
    from (select store_id, delivery_id, number from webhook_attempts
          where has_body and started_at < ${daysAgo(sql, days)} limit ${limit}) old
    where a.store_id = old.store_id and a.delivery_id = old.delivery_id and a.number = old.number`;
  return count;
}

export async function deleteAttempts(sql: TransactionSql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from webhook_attempts a
    using (select store_id, delivery_id, number from webhook_attempts
           where started_at < ${daysAgo(sql, days)} limit ${limit}) old
    where a.store_id = old.store_id and a.delivery_id = old.delivery_id and a.number = old.number`;
  return count;
}

/** Deliveries that became final longer ago than this. Open ones stay. */
export async function deleteDeliveries(sql: TransactionSql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries d
    using (select store_id, id from webhook_deliveries
           where completed_at < ${daysAgo(sql, days)} limit ${limit}) old
    where d.store_id = old.store_id and d.id = old.id`;
  return count;
}

/** Deletes rows of a deleted endpoint: first of its log, then deliveries and replays, and at last its own. */
export async function deleteOfEndpoint(
  sql: TransactionSql,
  { store_id, id }: { store_id: string; id: string },
  limit: number,
): Promise<number> {
  const { count: attempts } = await sql`
    delete from webhook_attempts a
    using (select delivery_id, number from webhook_attempts
           where store_id = ${store_id} and endpoint_id = ${id} limit ${limit}) old
    where a.store_id = ${store_id} and a.delivery_id = old.delivery_id and a.number = old.number`;
  if (attempts > 0) return attempts;
  const { count: deliveries } = await sql`
    delete from webhook_deliveries where store_id = ${store_id} and id in (
      select id from webhook_deliveries where store_id = ${store_id} and endpoint_id = ${id} limit ${limit})`;
  if (deliveries > 0) return deliveries;
  await sql`delete from webhook_replays where store_id = ${store_id} and endpoint_id = ${id}`;
  return await deleteEndpoint(sql, { store_id, id });
}
