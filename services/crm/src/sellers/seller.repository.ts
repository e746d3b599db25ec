import type { Sql, TransactionSql } from '@mostrador/kit/postgres';
import type { NewSeller, SellerRow } from './seller.ts';

export async function insertSeller(sql: TransactionSql, storeId: string, seller: NewSeller): Promise<SellerRow> {
  const [row] = await sql<[SellerRow]>`
    insert into sellers (store_id, name, whatsapp_id, is_active)
    values (${storeId}, ${seller.name}, ${seller.whatsapp_id}, ${seller.is_active})
    returning *`;
  return row;
}

export async function findSeller(sql: Sql, storeId: string, sellerId: string): Promise<SellerRow | null> {
  const [row] = await sql<SellerRow[]>`select * from sellers where store_id = ${storeId} and id = ${sellerId}`;
  return row ?? null;
}

/**
 * Holds the seller as it is until the transaction ends: neither deactivated nor deleted meanwhile. Others may refer
 * to the same seller at the same time.
 */
export async function lockSeller(sql: TransactionSql, storeId: string, sellerId: string): Promise<SellerRow | null> {
  const [row] = await sql<SellerRow[]>`
    select * from sellers where store_id = ${storeId} and id = ${sellerId} for share`;
  return row ?? null;
}
