import type { LeadMerge } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { canonicalPhone } from '@mostrador/kit/phones/canonical-phone';
import type { LeadRow } from './lead.ts';

/** A lead that was merged into another one. */
export type MergeRow = Readonly<LeadMerge> & {
  readonly merged_at: Date;
  /** Null: messaging or scheduling may still have rows of the merged lead. */
  readonly finished_at: Date | null;
};

const columns = (sql: Sql) => sql`id as lead_id, merged_into, merged_at, finished_at`;

export async function findMerge(sql: Sql, storeId: string, leadId: string): Promise<MergeRow | undefined> {
  const [row] = await sql<MergeRow[]>`
    select ${columns(sql)} from merged_leads where store_id = ${storeId} and id = ${leadId}`;
  return row;
}

export async function listUnfinishedMerges(sql: Sql, storeId: string, limit: number): Promise<LeadMerge[]> {
  return await sql<LeadMerge[]>`
    select id as lead_id, merged_into from merged_leads
    where store_id = ${storeId} and finished_at is null order by merged_at, id limit ${limit}`;
}

/** The leads that were merged into this one and may still have rows in other services, the oldest merge first. */
export async function listUnfinishedOf(sql: Sql, storeId: string, leadId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from merged_leads
    where store_id = ${storeId} and merged_into = ${leadId} and finished_at is null order by merged_at, id`;
  return rows.map(({ id }) => id);
}

export async function finishMerge(sql: TransactionSql, storeId: string, leadId: string): Promise<void> {
  await sql`
    update merged_leads set finished_at = clock_timestamp()
    where store_id = ${storeId} and id = ${leadId} and finished_at is null`;
}

/**
 * Locks the seller of the merged lead, then both leads in the order of their ids. The seller comes first, as in every
 * transaction.
 */
export async function lockLeadsToMerge(
  sql: TransactionSql,
  storeId: string,
  { lead_id, merged_into }: LeadMerge,
): Promise<{ merged: LeadRow | undefined; kept: LeadRow | undefined }> {
  await sql`
    select from sellers where store_id = ${storeId}
      and id = (select seller_id from leads where store_id = ${storeId} and id = ${lead_id}) for share`;
  const rows = await sql<LeadRow[]>`
    select * from leads where store_id = ${storeId} and id in (${lead_id}, ${merged_into}) order by id for update`;
  return { merged: rows.find(({ id }) => id === lead_id), kept: rows.find(({ id }) => id === merged_into) };
}

/**
 * Moves a locked lead, and those that were merged into it, under the lead that stays. Ends the history of its status and
 * seller, so that the reports no longer count it.
 */
export async function moveMergedLead(sql: TransactionSql, merged: LeadRow, keptId: string): Promise<MergeRow> {
  const { store_id, id } = merged;
  await sql`update merged_leads set merged_into = ${keptId} where store_id = ${store_id} and merged_into = ${id}`;
  // Not `now()`: the transaction may have begun before the change that it waited for (docs/adr/0010).
  const [row] = await sql<[MergeRow]>`
    with lead as (
      delete from leads where store_id = ${store_id} and id = ${id}
      returning *, greatest(clock_timestamp(), updated_at) as at),
    status_history as (
      insert into lead_status_changes (store_id, lead_id, version, from_status, seller_id, changed_at)
      select store_id, id, version + 1, status, seller_id, at from lead),
    seller_history as (
      insert into lead_seller_changes (store_id, lead_id, version, from_seller, changed_at)
      select store_id, id, version + 1, seller_id, at from lead where seller_id is not null)
    insert into merged_leads (store_id, id, merged_into, merged_at, lead)
    select store_id, id, ${keptId}::uuid, at, to_jsonb(lead) - 'at' from lead
    returning ${columns(sql)}`;
  return row;
}

/** Gives a lead from before the canonical form its `phone_key`, unless a third lead of the person has it. */
export async function savePhoneKey(sql: TransactionSql, { store_id, id, customer_phone }: LeadRow): Promise<void> {
  if (customer_phone === null) return;
  const key = canonicalPhone(customer_phone);
  await sql`
    update leads set phone_key = ${key}
    where store_id = ${store_id} and id = ${id} and phone_key is null
      and not exists (select from leads as other where other.store_id = ${store_id} and other.phone_key = ${key})`;
}
