import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import type { SellerContent, SellerRow } from './seller.ts';

export async function insertSeller(sql: TransactionSql, storeId: string, seller: SellerContent): Promise<SellerRow> {
  const [row] = await sql<[SellerRow]>`
    insert into sellers (store_id, name, whatsapp_id, is_active, bookable, hours)
    values (${storeId}, ${seller.name}, ${seller.whatsapp_id}, ${seller.is_active}, ${seller.bookable},
      ${seller.hours && sql.json(seller.hours)})
    returning *`;
  return row;
}

export const findSeller = (sql: Sql, storeId: string, sellerId: string) =>
  sql<SellerRow[]>`select * from sellers where store_id = ${storeId} and id = ${sellerId}`;

/** Who of these sellers can be booked, and when. */
export const findBookedSellers = (sql: Sql, storeId: string, sellerIds: readonly string[]) =>
  sql<Pick<SellerRow, 'id' | 'is_active' | 'bookable' | 'hours'>[]>`
    select id, is_active, bookable, hours from sellers
    where store_id = ${storeId} and id = any(${[...sellerIds]}::uuid[])`;

/** Without an index: a store has few sellers, and only a phone with two meanings is looked up. */
export const listSellersWithPhones = (sql: Sql, storeId: string, phones: readonly string[]) =>
  sql<{ id: string; phone: string }[]>`
    select id, whatsapp_id as phone from sellers
    where store_id = ${storeId} and whatsapp_id = any(${[...phones]}::text[])`;

/**
 * Locks the seller in share mode: no transaction can change or delete it until this one ends. Others can take the same
 * lock at the same time.
 */
export async function lockSeller(sql: TransactionSql, storeId: string, sellerId: string): Promise<SellerRow | null> {
  const [row] = await sql<SellerRow[]>`
    select * from sellers where store_id = ${storeId} and id = ${sellerId} for share`;
  return row ?? null;
}

/** Locks several sellers in share mode, in the order of their ids. Skips ids that the store does not have. */
export async function lockSellers(
  sql: TransactionSql,
  storeId: string,
  sellerIds: readonly string[],
): Promise<SellerRow[]> {
  return sql<SellerRow[]>`
    select * from sellers where store_id = ${storeId} and id = any(${sellerIds}::uuid[]) order by id for share`;
}

/** Locks the seller for a change: no other transaction can assign or change it until this one ends. */
export async function lockSellerForChange(
  sql: TransactionSql,
  storeId: string,
  sellerId: string,
): Promise<SellerRow | null> {
  const [row] = await sql<SellerRow[]>`
    select * from sellers where store_id = ${storeId} and id = ${sellerId} for update`;
  return row ?? null;
}

/** Writes a change and raises the version. */
export async function saveSeller(sql: TransactionSql, current: SellerRow, content: SellerContent): Promise<SellerRow> {
  const { name, whatsapp_id, is_active, bookable, hours } = content;
  const [row] = await sql<[SellerRow]>`
    update sellers
    set name = ${name}, whatsapp_id = ${whatsapp_id}, is_active = ${is_active}, bookable = ${bookable},
        hours = ${hours && sql.json(hours)}, version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
    where store_id = ${current.store_id} and id = ${current.id}
    returning *`;
  return row;
}

export async function deleteSellerRow(sql: TransactionSql, storeId: string, sellerId: string): Promise<void> {
  await sql`delete from sellers where store_id = ${storeId} and id = ${sellerId}`;
}

export async function countSellers(sql: Sql, storeId: string): Promise<number> {
  const [row] = await sql<[{ total: number }]>`select count(*)::int as total from sellers where store_id = ${storeId}`;
  return row.total;
}

/** A page of sellers in the order of creation. It begins after a row or after a number of rows. */
export async function listSellers(
  sql: Sql,
  storeId: string,
  page: { start: TimePageStart; limit: number },
): Promise<SellerRow[]> {
  const { start, limit } = page;
  return await sql<SellerRow[]>`
    select * from sellers
    where store_id = ${storeId}
      ${'after' in start ? sql`and (created_at, id) > (${start.after.at}, ${start.after.id})` : sql``}
    order by created_at, id
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
}

export async function listSellerNames(sql: Sql, storeId: string): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; name: string }[]>`select id, name from sellers where store_id = ${storeId}`;
  return new Map(rows.map(({ id, name }) => [id, name]));
}
