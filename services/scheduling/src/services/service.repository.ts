import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import type { ServiceContent, ServiceRow } from './service.ts';

export async function insertService(
  sql: TransactionSql,
  storeId: string,
  service: ServiceContent,
): Promise<ServiceRow> {
  const [row] = await sql<ServiceRow[]>`
    insert into services (store_id, name, duration_minutes, buffer_before_minutes, buffer_after_minutes, seller_ids,
      price_text, is_active)
    values (${storeId}, ${service.name}, ${service.duration_minutes}, ${service.buffer_before_minutes},
      ${service.buffer_after_minutes}, ${service.seller_ids}::uuid[], ${service.price_text}, ${service.is_active})
    returning *`;
  return row as ServiceRow;
}

/** The query for a service: one row, or none. */
export const findService = (sql: Sql, storeId: string, id: string) =>
  sql<ServiceRow[]>`select * from services where store_id = ${storeId} and id = ${id}`;

export type ServiceBuffers = Pick<ServiceRow, 'buffer_before_minutes' | 'buffer_after_minutes'>;

/** The query for the buffers of those of these services that are not deleted. */
export const findBuffers = (sql: Sql, storeId: string, ids: readonly string[]) =>
  sql<(ServiceBuffers & Pick<ServiceRow, 'id'>)[]>`
    select id, buffer_before_minutes, buffer_after_minutes from services
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[])`;

/** The names of those of these services that are not deleted. */
export async function listServiceNames(
  sql: Sql,
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<Pick<ServiceRow, 'id' | 'name'>[]>`
    select id, name from services where store_id = ${storeId} and id = any(${[...ids]}::uuid[])`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Reads the row and locks it until the transaction ends. */
export async function lockService(sql: TransactionSql, storeId: string, id: string): Promise<ServiceRow | undefined> {
  const [row] = await sql<ServiceRow[]>`
    select * from services where store_id = ${storeId} and id = ${id} for update`;
  return row;
}

export async function saveService(
  sql: TransactionSql,
  storeId: string,
  id: string,
  service: ServiceContent,
): Promise<ServiceRow> {
  const [row] = await sql<ServiceRow[]>`
    update services
    set name = ${service.name}, duration_minutes = ${service.duration_minutes},
        buffer_before_minutes = ${service.buffer_before_minutes}, buffer_after_minutes = ${service.buffer_after_minutes},
        seller_ids = ${service.seller_ids}::uuid[], price_text = ${service.price_text}, is_active = ${service.is_active},
        version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${storeId} and id = ${id}
    returning *`;
  return row as ServiceRow;
}

export async function deleteServiceRow(sql: TransactionSql, storeId: string, id: string): Promise<void> {
  await sql`delete from services where store_id = ${storeId} and id = ${id}`;
}

export async function countServices(sql: Sql, storeId: string): Promise<number> {
  const [row] = await sql<[{ total: number }]>`select count(*)::int as total from services where store_id = ${storeId}`;
  return row.total;
}

/** A page of services in the order of creation. It begins after a row or after a number of rows. */
export const listServiceRows = (sql: Sql, storeId: string, page: { start: TimePageStart; limit: number }) =>
  sql<ServiceRow[]>`
    select * from services
    where store_id = ${storeId}
      ${'after' in page.start ? sql`and (created_at, id) > (${page.start.after.at}, ${page.start.after.id})` : sql``}
    order by created_at, id
    limit ${page.limit} offset ${'offset' in page.start ? page.start.offset : 0}`;
