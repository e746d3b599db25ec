import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { type ConversationRow, conversationColumns, endingStandby } from '../conversations/conversation.repository.ts';
import { providerMessageLock } from '../delivery/status-update.repository.ts';
import { findAwaited } from '../messages/quote.repository.ts';
import { idleHours } from '../settings/settings.repository.ts';

type OfChannel = { readonly channelId: string; readonly providerMessageIds: readonly string[] };

/** The leads that the channel knows by these ids, by id. A user id that another channel told counts as unknown. */
export async function findSenders(
  sql: Sql,
  storeId: string,
  channelId: string,
  { waIds, userIds }: { readonly waIds: readonly string[]; readonly userIds: readonly string[] },
): Promise<{ byWaId: ReadonlyMap<string, string>; byUserId: ReadonlyMap<string, string> }> {
  const [ofWaIds, ofUserIds] = await Promise.all([
    sql<{ id: string; lead_id: string }[]>`
      select wa_id as id, lead_id from conversations where store_id = ${storeId} and wa_id = any(${[...waIds]}::text[])`,
    userIds.length === 0
      ? []
      : sql<{ id: string; lead_id: string }[]>`
          select user_id as id, lead_id from customer_user_ids
          where store_id = ${storeId} and user_id = any(${[...userIds]}::text[]) and channel_id = ${channelId}`,
  ]);
  const byId = (rows: readonly { id: string; lead_id: string }[]) => new Map(rows.map((row) => [row.id, row.lead_id]));
  return { byWaId: byId(ofWaIds), byUserId: byId(ofUserIds) };
}

/** Those of these ids that a customer had before a change to others. A user id of which a number was told stays. */
export async function findChangedIds(sql: Sql, storeId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select from_wa_id as id from identity_changes where store_id = ${storeId} and from_wa_id = any(${[...ids]}::text[])
    union all
    select from_user_id from identity_changes where store_id = ${storeId} and from_user_id = any(${[...ids]}::text[])
      and from_user_id is distinct from to_user_id`;
  return new Set(rows.map(({ id }) => id));
}

/** Locks the provider's message ids that no other transaction has locked, as `lockProviderMessage` does. Returns them. */
export async function lockFreeProviderMessages(
  sql: TransactionSql,
  storeId: string,
  { channelId, providerMessageIds }: OfChannel,
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select id from unnest(${[...providerMessageIds]}::text[]) as id
    where pg_try_advisory_xact_lock(${providerMessageLock(sql, storeId, channelId, sql`id`)})`;
  return new Set(rows.map(({ id }) => id));
}

/** Locks the conversations of these leads that no other transaction has locked, as `lockConversation` does. */
export async function lockFreeConversations(
  sql: TransactionSql,
  storeId: string,
  leadIds: readonly string[],
): Promise<ReadonlyMap<string, ConversationRow>> {
  const rows = await sql<ConversationRow[]>`
    select ${conversationColumns(sql)} from conversations
    where store_id = ${storeId} and lead_id = any(${[...leadIds]}::uuid[])
    for no key update skip locked`;
  return new Map(rows.map((row) => [row.lead_id, row]));
}

/** Those of these messages that are stored already, or that were changed or quoted before they came. */
export async function findMetBefore(
  sql: Sql,
  storeId: string,
  { channelId, providerMessageIds }: OfChannel,
): Promise<{ known: ReadonlySet<string>; changed: ReadonlySet<string> }> {
  const from = (table: 'messages' | 'message_changes') => sql<{ id: string }[]>`
    select provider_message_id as id from ${sql(table)}
    where store_id = ${storeId} and channel_id = ${channelId}
      and provider_message_id = any(${[...providerMessageIds]}::text[])`;
  const [known, changed, awaited] = await Promise.all([
    from('messages'),
    from('message_changes'),
    findAwaited(sql, storeId, { channelId, providerMessageIds }),
  ]);
  const ids = (rows: readonly { id: string }[]) => new Set(rows.map(({ id }) => id));
  return { known: ids(known), changed: new Set([...ids(changed), ...awaited]) };
}

/** The time of the database clock, as rows have it. Read after the locks, so that the times of a conversation never go back. */
export async function readClock(sql: Sql): Promise<Date> {
  const [row] = await sql<[{ at: Date }]>`select clock_timestamp()::timestamptz(3) as at`;
  return row.at;
}

/** How many messages of a lead come at `at`, when the last of them counts as written, and when it was written. */
export type LeadCount = {
  readonly lead_id: string;
  readonly count: number;
  readonly came_at: Date;
  readonly written_at: Date;
};

/** Takes the numbers of the messages of these leads, as `takeInbound` does for one. The caller holds the conversations' locks. */
export async function takeNumbers(
  sql: TransactionSql,
  storeId: string,
  at: Date,
  counts: readonly LeadCount[],
): Promise<void> {
  await sql`
    update conversations c
    set next_number = c.next_number + came.count, interaction_count = c.interaction_count + came.count,
        last_inbound_at = greatest(c.last_inbound_at, came.came_at),
        customer_wrote_at = greatest(c.customer_wrote_at, came.written_at), ${endingStandby(sql, sql`came.written_at`)},
        waiting_since = case when c.is_unanswered then coalesce(c.waiting_since, c.last_message_at) else ${at}::timestamptz end,
        last_message_at = ${at}, is_unanswered = true, unread_count = c.unread_count + came.count,
        counted_next = case when c.counted_next = c.next_number then c.next_number + came.count else c.counted_next end
    from json_to_recordset(${sql.json(counts as never)}::json)
      as came (lead_id uuid, count integer, came_at timestamptz, written_at timestamptz)
    where c.store_id = ${storeId} and c.lead_id = came.lead_id`;
}

/** Stores this moment in the active sessions of these leads, and returns them by lead. Left out: what was idle for too long. */
export async function touchActiveSessions(
  sql: TransactionSql,
  storeId: string,
  at: Date,
  leadIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; lead_id: string }[]>`
    update sessions set last_message_at = greatest(last_message_at, ${at})
    where store_id = ${storeId} and lead_id = any(${[...leadIds]}::uuid[]) and status = 'active'
      and last_message_at + ${idleHours(sql, storeId)} * interval '1 hour' > ${at}
    returning id, lead_id`;
  return new Map(rows.map(({ id, lead_id }) => [lead_id, id]));
}
