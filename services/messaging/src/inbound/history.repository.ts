import type { MessageAuthor, MessageContent, MessageMedia } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { quoteKeyOf } from '../channels/message-key.ts';
import { messageColumns } from '../messages/message.repository.ts';
import type { MessageRow } from '../messages/message.ts';

/** A message from before the number was connected. `id` is the channel's. */
export type PastRow = {
  readonly id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly source: 'lead' | 'seller';
  readonly author: MessageAuthor | null;
  readonly status: 'received' | 'sent' | 'delivered' | 'read';
  readonly kind: string;
  readonly body: string;
  readonly body_truncated: boolean;
  readonly content: MessageContent | null;
  readonly media: MessageMedia | null;
  readonly written_at: Date;
  /** The channel's id of the message that it quotes. */
  readonly quoted_id: string | null;
};

type Place = { readonly leadId: string; readonly channelId: string };

/** Those of these messages that are stored. */
export async function findKnownIds(
  sql: Sql,
  storeId: string,
  { channelId, ids }: { readonly channelId: string; readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`
    select provider_message_id as id from messages
    where store_id = ${storeId} and channel_id = ${channelId} and provider_message_id = any(${[...ids]}::text[])`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * The session of the lead that has all messages of the past, from the first to the last of them. A closed session waits
 * for no answer.
 */
export async function ensurePastSession(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  messages: readonly Pick<PastRow, 'written_at'>[],
): Promise<string> {
  const times = messages.map(({ written_at }) => written_at.getTime());
  const [from, to] = [new Date(Math.min(...times)), new Date(Math.max(...times))];
  const [row] = await sql<[{ id: string }]>`
    with known as (
      update sessions
      set started_at = least(started_at, ${from}), last_message_at = greatest(last_message_at, ${to}),
          ended_at = greatest(ended_at, ${to})
      where store_id = ${storeId} and lead_id = ${leadId} and from_history returning id),
    added as (
      insert into sessions (store_id, lead_id, status, started_at, last_message_at, ended_at, closed_at, from_history)
      select ${storeId}, ${leadId}, 'ended', ${from}, ${to}, ${to}, clock_timestamp(), true
      where not exists (select from known) returning id)
    select id from known union all select id from added limit 1`;
  return row.id;
}

/** Inserts messages behind those of the conversation. `numberByTime` gives them their places. */
export async function insertPast(
  sql: TransactionSql,
  storeId: string,
  { leadId, channelId, sessionId }: Place & { readonly sessionId: string },
  rows: readonly PastRow[],
): Promise<void> {
  const told = rows.map((row) => ({ ...row, quoted_key: row.quoted_id === null ? null : quoteKeyOf(row.quoted_id) }));
  await sql`
    insert into messages (store_id, lead_id, session_id, number, created_at, direction, source, author, kind, body,
      body_truncated, content, media, status, sent_at, channel_id, provider_message_id, from_history, quoted_key)
    select ${storeId}::uuid, ${leadId}::uuid, ${sessionId}::uuid, conversation.next_number - 1 + told.place, written_at,
      direction, source, author, kind, body, body_truncated, content, media, status,
      case when direction = 'outbound' then written_at end, ${channelId}::uuid, id, true, quoted_key
    from rows from (
        json_to_recordset(${sql.json(told as never)}::json)
          as (id text, direction text, source text, author jsonb, status text, kind text, body text, body_truncated boolean,
            content jsonb, media jsonb, written_at timestamptz, quoted_key text)
      ) with ordinality
        as told (id, direction, source, author, status, kind, body, body_truncated, content, media, written_at, quoted_key,
          place),
      (select next_number from conversations where store_id = ${storeId} and lead_id = ${leadId}) as conversation
    order by told.place`;
}

/** Sets which messages of the lead these quote. */
export async function linkQuotes(
  sql: TransactionSql,
  storeId: string,
  { leadId, channelId }: Place,
  rows: readonly PastRow[],
): Promise<void> {
  const quotes = rows.filter(({ quoted_id }) => quoted_id !== null).map(({ id, quoted_id }) => ({ id, quoted_id }));
  if (quotes.length === 0) return;
  await sql`
    update messages m set reply_to_id = quoted.id
    from json_to_recordset(${sql.json(quotes)}::json) as told (id text, quoted_id text)
    join messages quoted on quoted.store_id = ${storeId} and quoted.lead_id = ${leadId}
      and quoted.channel_id = ${channelId} and quoted.provider_message_id = told.quoted_id
    where m.store_id = ${storeId} and m.channel_id = ${channelId} and m.provider_message_id = told.id`;
}

/** Puts the files of the past into the messages that stand for them. */
export async function fillPlaceholders(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  rows: readonly PastRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update messages m
    set kind = told.kind, body = told.body, body_truncated = told.body_truncated, media = told.media,
        updated_at = clock_timestamp()
    from json_to_recordset(${sql.json(rows as never)}::json)
      as told (id text, kind text, body text, body_truncated boolean, media jsonb)
    where m.store_id = ${storeId} and m.channel_id = ${channelId} and m.provider_message_id = told.id
      and m.kind = 'media_placeholder' and m.from_history and m.revoked_at is null`;
}

/** Those of these messages of the past of which the channel has told more: status updates, and changes such as an edit. */
export async function listToldOf(
  sql: Sql,
  storeId: string,
  { leadId, channelId }: Place,
  ids: readonly string[],
): Promise<(MessageRow & { readonly provider_message_id: string })[]> {
  const has = (table: 'message_changes' | 'status_reports') => sql`
    select from ${sql(table)} told
    where told.store_id = m.store_id and told.channel_id = m.channel_id
      and told.provider_message_id = m.provider_message_id`;
  return await sql<(MessageRow & { provider_message_id: string })[]>`
    select ${messageColumns(sql)} from messages m
    where store_id = ${storeId} and lead_id = ${leadId} and channel_id = ${channelId}
      and provider_message_id = any(${[...ids]}::text[]) and from_history
      and (exists (${has('message_changes')}) or exists (${has('status_reports')}))`;
}

/**
 * Gives messages that were inserted behind those of the conversation their places by time, the oldest of which was written
 * at `from`. Numbers follow the time, so what is older keeps its number and is not read. What was unread stays so, and
 * nothing else is; what the inbox shows else of the lead does not change. The caller holds the conversation's lock.
 */
export async function numberByTime(sql: TransactionSql, storeId: string, leadId: string, from: Date): Promise<void> {
  const ofLead = sql`m.store_id = ${storeId} and m.lead_id = ${leadId}`;
  const [{ stays }] = await sql<[{ stays: number }]>`
    select coalesce((
      select m.number from messages m
      where ${ofLead} and m.created_at < ${from}
        and m.number < (select next_number from conversations where store_id = ${storeId} and lead_id = ${leadId})
      order by m.number desc limit 1), 0) as stays`;
  // First to negative numbers, because no two messages may have the same number at any time.
  await sql`
    with c as (select * from conversations where store_id = ${storeId} and lead_id = ${leadId}),
    ordered as (
      select m.id, m.number, m.created_at, ${stays} + row_number() over (order by m.created_at, m.number) as place,
        m.direction = 'inbound' and not m.from_history and m.number > c.read_number as is_unread,
        m.number = c.ai_pause_number as is_pause
      from messages m, c where ${ofLead} and m.number > ${stays}),
    moved as (
      update messages m set number = -ordered.place from ordered
      where ${ofLead} and m.number > ${stays} and m.id = ordered.id and m.number <> ordered.place),
    counted as (
      select max(place) as total, max(created_at) as last_at, min(place) filter (where is_unread) as first_unread,
        max(place) filter (where is_pause) as pause
      from ordered)
    update conversations c
    set next_number = counted.total + 1, last_message_at = greatest(c.last_message_at, counted.last_at),
        counted_next = case when c.counted_next = c.next_number then counted.total + 1 else c.counted_next end,
        read_number = case
          when exists (
            select from messages m
            where ${ofLead} and m.number > c.read_number and m.number <= ${stays} and m.direction = 'inbound'
              and not m.from_history) then c.read_number
          else coalesce(counted.first_unread - 1, counted.total) end,
        ai_pause_number = case when c.ai_pause_number > ${stays}
          then coalesce(counted.pause, counted.total + 1) else c.ai_pause_number end
    from counted where c.store_id = ${storeId} and c.lead_id = ${leadId}`;
  await sql`update messages set number = -number where store_id = ${storeId} and lead_id = ${leadId} and number < 0`;
}

/** Records how much of the past the provider has told. Its parts come in any order. */
export async function saveHistoryState(
  sql: TransactionSql,
  storeId: string,
  channelId: string,
  { progress, error }: { readonly progress: number | null; readonly error: string | null },
): Promise<void> {
  await sql`
    update channels
    set history_progress = greatest(history_progress, ${progress}::smallint), history_error = ${error}
    where store_id = ${storeId} and id = ${channelId}`;
}

/** What the provider of the live channel has told of the past. Null: nothing yet. */
export async function findHistoryState(
  sql: Sql,
  storeId: string,
): Promise<{ progress_percent: number | null; declined_code: string | null } | null> {
  const [row] = await sql<{ progress_percent: number | null; declined_code: string | null }[]>`
    select history_progress as progress_percent, history_error as declined_code from channels
    where store_id = ${storeId} and disconnected_at is null
      and (history_progress is not null or history_error is not null)`;
  return row ?? null;
}
