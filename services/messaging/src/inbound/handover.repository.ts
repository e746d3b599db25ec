import type { TransactionSql } from '@mostrador/kit/database/database';
import { type AiPause, pausingAi } from '../conversations/conversation.repository.ts';

/**
 * Stores who has the conversation, and pauses the AI. The caller holds its lock. Returns false, and changes nothing, when
 * this change, or a later one, is known.
 */
export async function saveHandover(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { at, owner, pause }: { readonly at: Date; readonly owner: 'store' | 'other'; readonly pause: AiPause },
): Promise<boolean> {
  const saved = await sql`
    update conversations c
    set handover_at = ${at}, handover_owner = ${owner} ${pausingAi(sql, sql`least(clock_timestamp(), ${at}::timestamptz)`, pause)}
    where c.store_id = ${storeId} and c.lead_id = ${leadId} and (c.handover_at is null or c.handover_at < ${at})
    returning 1`;
  return saved.length > 0;
}

/**
 * What another agent of the channel has written after the customer's last words answers nothing. The caller holds the
 * conversation's lock.
 */
export async function unanswer(sql: TransactionSql, storeId: string, leadId: string): Promise<void> {
  await sql`
    update messages set answers = false
    where store_id = ${storeId} and lead_id = ${leadId} and direction = 'outbound' and source = 'ai' and answers
      and author ->> 'kind' = 'agent' and author ->> 'id' is null
      and number > coalesce((
        select max(asked.number) from messages asked
        where asked.store_id = ${storeId} and asked.lead_id = ${leadId} and asked.direction = 'inbound'), 0)`;
}
