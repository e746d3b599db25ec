import type { Sql, TransactionSql } from '@mostrador/kit/postgres';
import type { LeadRow, NewLead } from './lead.ts';

/** Null when the store already has a lead with this phone. */
export async function insertLead(sql: TransactionSql, storeId: string, lead: NewLead): Promise<LeadRow | null> {
  const [row] = await sql<LeadRow[]>`
    insert into leads (store_id, name, customer_phone, status, seller_id)
    values (${storeId}, ${lead.name}, ${lead.customer_phone}, ${lead.status}, ${lead.seller_id})
    on conflict on constraint leads_phone do nothing
    returning *`;
  return row ?? null;
}

export async function findLead(sql: Sql, storeId: string, leadId: string): Promise<LeadRow | null> {
  const [row] = await sql<LeadRow[]>`select * from leads where store_id = ${storeId} and id = ${leadId}`;
  return row ?? null;
}

export async function findLeadIdByPhone(sql: TransactionSql, storeId: string, phone: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from leads where store_id = ${storeId} and customer_phone = ${phone}`;
  return row?.id ?? null;
}

export async function leadExists(sql: Sql, storeId: string, leadId: string): Promise<boolean> {
  const rows = await sql`select 1 from leads where store_id = ${storeId} and id = ${leadId}`;
  return rows.length > 0;
}
