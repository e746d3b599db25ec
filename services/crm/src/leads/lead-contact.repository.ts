import type { AiPauser } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { LeadRow } from './lead.ts';

/** The members of a lead that other services need. */
export type LeadContactRow = Pick<
  LeadRow,
  | 'id'
  | 'name'
  | 'customer_phone'
  | 'channel_user_id'
  | 'username'
  | 'version'
  | 'status'
  | 'seller_id'
  | 'ai_paused_until'
  | 'ai_paused_by'
  | 'ai_pause_version'
>;

const columns = (sql: Sql) => sql`
  id, name, customer_phone, channel_user_id, username, version, status, seller_id, ai_paused_until, ai_paused_by,
  ai_pause_version`;

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

/**
 * Stores when each lead opted out, or that it has not, unless a later version is known: messaging may send them twice and
 * in any order. `updated_at` moves with what the API shows.
 */
export async function saveOptOuts(
  sql: TransactionSql,
  storeId: string,
  optOuts: readonly { readonly lead_id: string; readonly opted_out_at: string | null; readonly version: number }[],
): Promise<void> {
  await sql`
    update leads
    set opted_out_at = told.opted_out_at, opt_out_version = told.version,
        updated_at = case when leads.opted_out_at is distinct from told.opted_out_at
          then greatest(clock_timestamp(), updated_at) else updated_at end
    from (
      select held.id as lead_id, told.opted_out_at, told.version
      from (
        select distinct on (lead_id) lead_id, opted_out_at, version
        from jsonb_to_recordset(${sql.json(optOuts)}) as told (lead_id uuid, opted_out_at timestamptz(3), version integer)
        order by lead_id, version desc) as told
      join leads held on held.store_id = ${storeId} and held.id = told.lead_id
        and (held.opt_out_version is null or held.opt_out_version < told.version)
      order by held.id for no key update of held) as told
    where store_id = ${storeId} and id = told.lead_id
      and (opt_out_version is null or opt_out_version < told.version)`;
}

/** Locks leads in the order of their ids. */
export async function lockLeads(sql: TransactionSql, storeId: string, ids: readonly string[]): Promise<LeadRow[]> {
  return await sql<LeadRow[]>`
    select * from leads where store_id = ${storeId} and id = any(${[...ids]}::uuid[]) order by id for no key update`;
}

/** A pause of the AI that a message began, as messaging tells it. */
export type ToldPause = {
  readonly lead_id: string;
  readonly ai_paused_until: string | null;
  readonly ai_paused_by?: AiPauser | null;
  readonly version: number;
};

/**
 * Stores pauses of locked leads. `version` of a lead stays the same: it is for changes by the API's users. A message that
 * does not make a pause longer leaves it with who began it.
 */
export async function saveAiPauses(
  sql: TransactionSql,
  storeId: string,
  pauses: readonly ToldPause[],
): Promise<LeadRow[]> {
  return await sql<LeadRow[]>`
    update leads
    set ai_paused_until = told.ai_paused_until, ai_pause_version = told.version,
        ai_paused_by = case when leads.ai_paused_until is distinct from told.ai_paused_until
          then told.ai_paused_by else leads.ai_paused_by end,
        updated_at = greatest(clock_timestamp(), updated_at)
    from jsonb_to_recordset(${sql.json(pauses)})
      as told (lead_id uuid, ai_paused_until timestamptz(3), ai_paused_by jsonb, version integer)
    where store_id = ${storeId} and id = told.lead_id
    returning leads.*`;
}
