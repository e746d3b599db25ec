import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { LeadContent, LeadRow, NewLead } from './lead.ts';

/** Inserts a lead. Null if the store already has a lead with this phone. */
export async function insertLead(sql: TransactionSql, storeId: string, lead: NewLead): Promise<LeadRow | null> {
  const { name, customer_phone, status, seller_id } = lead;
  // `clock_timestamp()` instead of `now()`: docs/adr/0010.
  const [row] = await sql<LeadRow[]>`
    with moment as (select clock_timestamp() as at),
    lead as (
      insert into leads (store_id, name, customer_phone, status, seller_id, created_at, updated_at)
      select ${storeId}, ${name}, ${customer_phone}, ${status}, ${seller_id}, at, at from moment
      on conflict on constraint leads_phone do nothing
      returning *),
    ${historyOfNew(sql)}
    select * from lead`;
  return row ?? null;
}

/** Inserts the leads whose phone the store does not have yet, and returns their ids. */
export async function insertLeads(sql: TransactionSql, storeId: string, leads: readonly NewLead[]): Promise<string[]> {
  if (leads.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    with moment as (select clock_timestamp() as at),
    lead as (
      insert into leads (store_id, name, customer_phone, status, seller_id, created_at, updated_at)
      select ${storeId}, given.*, at, at from moment, unnest(
        ${leads.map(({ name }) => name)}::text[],
        ${leads.map(({ customer_phone }) => customer_phone)}::text[],
        ${leads.map(({ status }) => status)}::text[],
        ${leads.map(({ seller_id }) => seller_id)}::uuid[]) as given
      on conflict on constraint leads_phone do nothing
      returning *),
    ${historyOfNew(sql)}
    select id from lead`;
  return rows.map(({ id }) => id);
}

/** Writes the first status and seller of the rows in `lead`, the leads just inserted. */
function historyOfNew(sql: TransactionSql) {
  return sql`
    status_history as (
      insert into lead_status_changes (store_id, lead_id, version, to_status, seller_id, changed_at)
      select store_id, id, version, status, seller_id, created_at from lead),
    seller_history as (
      insert into lead_seller_changes (store_id, lead_id, version, to_seller, changed_at)
      select store_id, id, version, seller_id, created_at from lead where seller_id is not null)`;
}

export async function findLead(sql: Sql, storeId: string, leadId: string): Promise<LeadRow | null> {
  const [row] = await sql<LeadRow[]>`select * from leads where store_id = ${storeId} and id = ${leadId}`;
  return row ?? null;
}

/** Locks the row until the transaction ends. A transaction locks a seller before a lead, never after. */
export async function lockLead(sql: TransactionSql, storeId: string, leadId: string): Promise<LeadRow | null> {
  const [row] = await sql<LeadRow[]>`
    select * from leads where store_id = ${storeId} and id = ${leadId} for no key update`;
  return row ?? null;
}

/** Writes a change of a locked lead, raises its version, and writes the history of its status and seller. */
export async function saveLead(sql: TransactionSql, current: LeadRow, content: LeadContent): Promise<LeadRow> {
  const { name, status, seller_id, ai_paused_until } = content;
  // Not `now()`: the transaction may have begun before the change that it waited for (docs/adr/0010).
  const [row] = await sql<[LeadRow]>`
    with lead as (
      update leads
      set name = ${name}, status = ${status}, seller_id = ${seller_id}, ai_paused_until = ${ai_paused_until},
          version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
      where store_id = ${current.store_id} and id = ${current.id}
      returning *),
    status_history as (
      insert into lead_status_changes
        (store_id, lead_id, version, from_status, to_status, seller_id, changed_at, previous_at)
      select store_id, id, version, ${current.status}, status, seller_id, updated_at, (
        select max(changed_at) from lead_status_changes as earlier
        where earlier.store_id = lead.store_id and earlier.lead_id = lead.id and earlier.to_status = lead.status)
      from lead where status <> ${current.status}),
    seller_history as (
      insert into lead_seller_changes (store_id, lead_id, version, from_seller, to_seller, changed_at)
      select store_id, id, version, ${current.seller_id}::uuid, seller_id, updated_at from lead
      where seller_id is distinct from ${current.seller_id})
    select * from lead`;
  return row;
}

/** Unassigns all leads of a locked seller, and returns their number. */
export async function unassignLeads(sql: TransactionSql, storeId: string, sellerId: string): Promise<number> {
  const { count } = await sql`
    with lead as (
      update leads
      set seller_id = null, version = version + 1, updated_at = greatest(clock_timestamp(), updated_at)
      where store_id = ${storeId} and seller_id = ${sellerId}
      returning *)
    insert into lead_seller_changes (store_id, lead_id, version, from_seller, changed_at)
    select store_id, id, version, ${sellerId}::uuid, updated_at from lead`;
  return count;
}

export async function findLeadIdByPhone(sql: Sql, storeId: string, phone: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from leads where store_id = ${storeId} and customer_phone = ${phone}`;
  return row?.id ?? null;
}

export async function leadExists(sql: Sql, storeId: string, leadId: string): Promise<boolean> {
  const rows = await sql`select 1 from leads where store_id = ${storeId} and id = ${leadId}`;
  return rows.length > 0;
}
