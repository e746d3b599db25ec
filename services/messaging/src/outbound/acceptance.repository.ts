import type { TransactionSql } from '@mostrador/kit/database/database';
import type { AcceptingChannel } from '../channels/channel.repository.ts';
import { type ConversationRow, conversationColumns } from '../conversations/conversation.repository.ts';
import { isShardOpen, keepingShard } from '../delivery/shard.repository.ts';
import { type Settings, settingsOf } from '../settings/settings.repository.ts';

/** What decides whether a message to a lead is accepted. */
export type AcceptanceRow = ConversationRow & {
  /** Null: the store has none. */
  readonly channel: AcceptingChannel | null;
  readonly settings: Settings;
  /** The lead's phone as the inbox knows it. */
  readonly lead_phone: string | null;
  /** The time of the database clock, which may be that before the wait for the lock. */
  readonly now: Date;
};

/**
 * As `lockConversation`, with the store's live channel and settings, which may be as old as the wait for the lock. Keeps the
 * store's delivery shard open or closed, too.
 */
export async function lockForAcceptance(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
): Promise<AcceptanceRow | undefined> {
  const [row] = await sql<AcceptanceRow[]>`
    select ${conversationColumns(sql)}, lead_phone, clock_timestamp() as now,
      (select row_to_json(live) from (
         select id, provider, status, reply_window_minutes, templates_synced_at is not null as has_templates from channels
         where store_id = ${storeId} and disconnected_at is null) as live) as channel,
      (select row_to_json(own) from (${settingsOf(sql, storeId)}) as own) as settings, ${keepingShard(sql, storeId)}
    from conversations where store_id = ${storeId} and lead_id = ${leadId} for no key update`;
  return row;
}

/** What else decides about a message of the store. Read it under the lock of `lockForAcceptance`. */
export type AroundRow = {
  /** A stored payload is not processed yet. */
  readonly has_unprocessed: boolean;
  /** The message needs no wake-up. */
  readonly is_shard_open: boolean;
};

export async function lookAround(sql: TransactionSql, storeId: string): Promise<AroundRow> {
  const [row] = await sql<[AroundRow]>`
    select exists (select from inbound_payloads where store_id = ${storeId} and processed_at is null) as has_unprocessed,
      ${isShardOpen(sql, storeId)} as is_shard_open`;
  return row;
}
