import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { messageColumns } from '../messages/message.repository.ts';
import type { MessageRow } from '../messages/message.ts';

/** Every store with a message that is not settled. Read with the system role. */
export async function findStoresToFence(sql: Sql): Promise<string[]> {
  const rows = await sql<{ store_id: string }[]>`
    select distinct store_id from messages where status in ('queued', 'sending', 'unknown')`;
  return rows.map(({ store_id }) => store_id);
}

/**
 * Makes messages `unknown` that were accepted before the restore and were `queued` or `sending` then. Each is assigned to
 * the store's channel, so that the provider's status updates find it. Locks their conversations first, which a trigger
 * changes. Returns the messages.
 */
export async function holdMessages(
  sql: TransactionSql,
  storeId: string,
  since: Date,
  { code, detail }: { readonly code: string; readonly detail: string },
  unsettledAfterMs: number,
): Promise<MessageRow[]> {
  const held = sql`store_id = ${storeId} and status in ('queued', 'sending') and created_at <= ${since}`;
  await sql`
    select 1 from conversations where store_id = ${storeId} and lead_id in (select lead_id from messages where ${held})
    order by lead_id for no key update`;
  return await sql<MessageRow[]>`
    update messages
    set status = 'unknown', unknown_since = clock_timestamp(), error_code = ${code}, error_detail = ${detail},
        channel_id = coalesce(channel_id,
          (select id from channels where store_id = ${storeId} and disconnected_at is null)),
        unsettled_at = clock_timestamp() + ${unsettledAfterMs} * interval '1 millisecond',
        lease_token = null, lease_until = null, next_attempt_at = null, slot_at = null
    where ${held}
    returning ${messageColumns(sql)}`;
}

/** The held messages of a store, oldest first. */
export async function listHeld(sql: Sql, storeId: string, code: string): Promise<{ id: string }[]> {
  return await sql<{ id: string }[]>`
    select id from messages
    where store_id = ${storeId} and status = 'unknown' and error_code = ${code} order by created_at, id`;
}
