import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { LeadRow } from './lead.ts';

/** The members of a lead that other services need. */
export type LeadContactRow = Pick<
  LeadRow,
  'id' | 'name' | 'customer_phone' | 'version' | 'status' | 'seller_id' | 'ai_paused_until'
>;

const columns = (sql: Sql) => sql`id, name, customer_phone, version, status, seller_id, ai_paused_until`;

export const findLeadContact = (sql: Sql, storeId: string, leadId: string) => sql<LeadContactRow[]>`
  select ${columns(sql)} from leads where store_id = ${storeId} and id = ${leadId}`;

/** The contacts of those of the ids that are leads of the store. */
export async function listLeadContacts(sql: Sql, storeId: string, ids: readonly string[]): Promise<LeadContactRow[]> {
  return await sql<LeadContactRow[]>`
    select ${columns(sql)} from leads
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[])`;
}

/**
 * Stores the greatest count of each lead, because messaging may send counts twice and in any order. `version` stays the
 * same: it is for changes by the API's users.
 */
export async function raiseInteractionCounts(
  sql: TransactionSql,
  storeId: string,
  counts: readonly { readonly lead_id: string; readonly interaction_count: number }[],
): Promise<void> {
  // `clock_timestamp()` instead of `now()`: docs/adr/0010.
  await sql`
    update leads set interaction_count = told.count, updated_at = greatest(clock_timestamp(), updated_at)
    from (
      select held.id as lead_id, told.count
      from (
        select lead_id, max(interaction_count) as count
        from jsonb_to_recordset(${sql.json(counts)}) as told (lead_id uuid, interaction_count integer)
        group by lead_id) as told
      join leads held on held.store_id = ${storeId} and held.id = told.lead_id and held.interaction_count < told.count
      order by held.id for no key update of held) as told
    where store_id = ${storeId} and id = told.lead_id and leads.interaction_count < told.count`;
}
