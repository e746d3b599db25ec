import type { Sql } from '@mostrador/kit/database/database';
import type { LeadRow } from './lead.ts';

/** The phones of the leads after the one with `afterId`, in the order of ids. */
export async function listPhonesAfter(
  sql: Sql,
  storeId: string,
  afterId: string | null,
  limit: number,
): Promise<Pick<LeadRow, 'id' | 'customer_phone'>[]> {
  return await sql<Pick<LeadRow, 'id' | 'customer_phone'>[]>`
    select id, customer_phone from leads
    where store_id = ${storeId} ${afterId === null ? sql`` : sql`and id > ${afterId}`}
    order by id limit ${limit}`;
}

/** The leads with exactly these phones, in the order of ids. */
export async function listLeadsWithPhones(sql: Sql, storeId: string, phones: readonly string[]): Promise<LeadRow[]> {
  return await sql<LeadRow[]>`
    select * from leads where store_id = ${storeId} and customer_phone = any(${[...phones]}::text[]) order by id`;
}
