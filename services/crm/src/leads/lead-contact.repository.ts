import type { Sql, TransactionSql } from '@mostrador/kit/postgres';

/** What other services need of a lead to reach it. */
export type LeadContact = { readonly id: string; readonly name: string; readonly customer_phone: string };

export async function findLeadContact(sql: Sql, storeId: string, leadId: string): Promise<LeadContact | undefined> {
  const [row] = await sql<LeadContact[]>`
    select id, name, customer_phone from leads where store_id = ${storeId} and id = ${leadId}`;
  return row;
}

/**
 * Keeps the greatest count: messaging counts, and may tell twice or in any order. Neither `version` nor `updated_at`
 * moves, for they are about what the API's users change.
 */
export async function raiseInteractionCount(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  count: number,
): Promise<void> {
  await sql`
    update leads set interaction_count = ${count}
    where store_id = ${storeId} and id = ${leadId} and interaction_count < ${count}`;
}
