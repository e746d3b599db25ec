import type { TransactionSql } from '@mostrador/kit/database/database';
import type { OptOutColumns, Wishes } from '../conversations/opt-out-state.ts';

/** The ids of the lead whose conversation goes and of the lead that gets what it has. */
export type Merged = { readonly goneId: string; readonly keptId: string };

/** Whether an attempt to send a message to one of the leads is running. The caller holds both conversations' locks. */
export async function isSending(sql: TransactionSql, storeId: string, { goneId, keptId }: Merged): Promise<boolean> {
  const rows = await sql`
    select 1 from messages
    where store_id = ${storeId} and lead_id in (${goneId}, ${keptId}) and status = 'sending'
      and lease_until > clock_timestamp() limit 1`;
  return rows.length > 0;
}

/** The active sessions of the two leads, the one with the latest message first. */
export async function listActiveSessions(
  sql: TransactionSql,
  storeId: string,
  { goneId, keptId }: Merged,
): Promise<{ id: string; lead_id: string }[]> {
  return await sql<{ id: string; lead_id: string }[]>`
    select id, lead_id from sessions
    where store_id = ${storeId} and lead_id in (${goneId}, ${keptId}) and status = 'active'
    order by last_message_at desc, id desc`;
}

export async function moveSessions(sql: TransactionSql, storeId: string, { goneId, keptId }: Merged): Promise<void> {
  await sql`update sessions set lead_id = ${keptId} where store_id = ${storeId} and lead_id = ${goneId}`;
}

/**
 * Moves the messages and numbers those of both leads again, from 1 in the order of acceptance. The messages of each lead
 * keep their order, even if the clock went back between them. Returns how many messages the merged lead had and both have,
 * and up to which one all are read: what was unread stays so.
 */
export async function moveMessages(
  sql: TransactionSql,
  storeId: string,
  { goneId, keptId }: Merged,
): Promise<{ moved: number; total: number; readNumber: number }> {
  // First to negative numbers, because no two messages may have the same number at any time.
  const [counted] = await sql<[{ moved: number; total: number; readNumber: number }]>`
    with accepted as (
      select m.id, m.lead_id, m.number, m.direction = 'inbound' and m.number > c.read_number as is_unread,
        max(m.created_at) over (partition by m.lead_id order by m.number) as at
      from messages m join conversations c on c.store_id = m.store_id and c.lead_id = m.lead_id
      where m.store_id = ${storeId} and m.lead_id in (${goneId}, ${keptId})),
    ordered as (select id, lead_id, is_unread, row_number() over (order by at, lead_id, number) as number from accepted),
    numbered as (
      update messages m set lead_id = ${keptId}, number = -ordered.number
      from ordered where m.store_id = ${storeId} and m.id = ordered.id)
    select count(*) filter (where lead_id = ${goneId})::int as moved, count(*)::int as total,
      coalesce(min(number) filter (where is_unread) - 1, count(*)) as "readNumber"
    from ordered`;
  await sql`update messages set number = -number where store_id = ${storeId} and lead_id = ${keptId} and number < 0`;
  return counted;
}

export async function moveUserIds(sql: TransactionSql, storeId: string, { goneId, keptId }: Merged): Promise<void> {
  await sql`update customer_user_ids set lead_id = ${keptId} where store_id = ${storeId} and lead_id = ${goneId}`;
}

/**
 * Deletes the conversation that has nothing left, and adds what it knew to the other one. `reported_count` stays, so that
 * crm gets the sum of the interactions. Returns what the lead has opted out of.
 */
export async function joinConversations(
  sql: TransactionSql,
  storeId: string,
  { goneId, keptId }: Merged,
  {
    nextNumber,
    readNumber,
    wishes,
  }: { readonly nextNumber: number; readonly readNumber: number; readonly wishes: Wishes },
): Promise<OptOutColumns> {
  const [row] = await sql<[OptOutColumns]>`
    with gone as (delete from conversations where store_id = ${storeId} and lead_id = ${goneId} returning *)
    update conversations kept
    set next_number = ${nextNumber}, read_number = ${readNumber},
        interaction_count = kept.interaction_count + gone.interaction_count,
        -- the id that the customer wrote from last
        wa_id = case when gone.last_inbound_at > coalesce(kept.last_inbound_at, '-infinity')
          then coalesce(gone.wa_id, kept.wa_id) else coalesce(kept.wa_id, gone.wa_id) end,
        user_id = case when gone.last_inbound_at > coalesce(kept.last_inbound_at, '-infinity')
          then coalesce(gone.user_id, kept.user_id) else coalesce(kept.user_id, gone.user_id) end,
        last_inbound_at = greatest(kept.last_inbound_at, gone.last_inbound_at),
        called_at = greatest(kept.called_at, gone.called_at),
        customer_wrote_at = greatest(kept.customer_wrote_at, gone.customer_wrote_at),
        -- who has the conversation, as the later handover says
        (handover_at, handover_owner) = (
          select at, owner
          from (values (kept.handover_at, kept.handover_owner), (gone.handover_at, gone.handover_owner)) as told (at, owner)
          order by at desc nulls last limit 1),
        standby_at = greatest(kept.standby_at, gone.standby_at),
        standby_ended_at = greatest(kept.standby_ended_at, gone.standby_ended_at),
        opted_out_at = least(kept.opted_out_at, gone.opted_out_at), opt_out_wishes = ${sql.json(wishes)},
        ai_paused_until = greatest(kept.ai_paused_until, gone.ai_paused_until),
        ai_paused_by = case when gone.ai_paused_until > coalesce(kept.ai_paused_until, '-infinity')
          then gone.ai_paused_by else kept.ai_paused_by end,
        -- The messages have new numbers. What the AI wrote to a lead that a person has written to is not sent.
        ai_pause_number = case when coalesce(kept.ai_pause_number, gone.ai_pause_number) is not null
          then ${nextNumber}::bigint end,
        ai_pause_version = kept.ai_pause_version + case when gone.ai_pause_version > 0 then 1 else 0 end,
        pair_tat = greatest(kept.pair_tat, gone.pair_tat)
    from gone where kept.store_id = ${storeId} and kept.lead_id = ${keptId}
    returning kept.opted_out_at, kept.opt_out_wishes`;
  return row;
}
