import type { Message, MessageAuthor, MessageContent, MessageMedia } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { Metadata } from '@mostrador/kit/database/metadata';
import type { PageStart } from '@mostrador/kit/database/paging';
import { quoteKeyOf } from '../channels/message-key.ts';
import { type AiPause, countedNext, pausingAi } from '../conversations/conversation.repository.ts';
import { touchActive } from '../sessions/session.repository.ts';
import type { MessageRow, MessageWait, Outcome, Template } from './message.ts';
import type { ChangedColumns } from './message-change.ts';

export type NewMessage = {
  /** Generated when not given. */
  readonly id?: string | undefined;
  readonly lead_id: string;
  readonly session_id: string;
  /** `number` and `created_at` come from `takeNumber`. */
  readonly number: number;
  readonly created_at: Date;
  readonly direction: MessageRow['direction'];
  readonly source: MessageRow['source'];
  readonly author?: MessageAuthor | null | undefined;
  readonly body: string;
  /** Default: `text`. */
  readonly kind?: string;
  readonly template?: Template | null | undefined;
  readonly metadata?: Metadata | undefined;
  readonly expires_at?: Date | undefined;
  /** Only for a message that the channel tells: its channel and its id there. */
  readonly channel_id?: string;
  readonly provider_message_id?: string;
  /** Only for such a message: how it was changed before it came. */
  readonly changed?: Partial<Omit<ChangedColumns, 'body'>>;
  readonly content?: MessageContent | undefined;
  readonly media?: MessageMedia | undefined;
  /** As of the row. */
  readonly budget_micros?: number | null;
  /** The channel's id of the message that it quotes. */
  readonly quotedId?: string | undefined;
  /** Whether a message to the lead answers what the lead wrote. Default: it does. */
  readonly answers?: boolean;
};

/** The columns of a `MessageRow`. */
export const messageColumns = (sql: Sql) => sql`
  id, lead_id, session_id, number, channel_id, direction, source, author, kind, body, body_truncated, template, content,
  media, reply_to_id, from_history, status,
  error_code, error_detail, provider_message_id, metadata, created_at, updated_at, sent_at, delivered_at, read_at, reactions,
  edited_at, revoked_at, pricing, budget_micros`;

export type TakenOutbound = {
  readonly number: number;
  readonly at: Date;
  /** The lead's session, unless it must begin another one. */
  readonly sessionId: string | null;
  /** As `isDelivering`. */
  readonly delivering: boolean;
};

type Taking = {
  readonly pausesAi?: AiPause | undefined;
  readonly answers?: boolean;
  /** Nothing that failed before it asks for a person any more. */
  readonly settles?: boolean;
};

/**
 * Takes the number of an outbound message and the moment of acceptance. Stores what the inbox shows, and the activity of
 * the lead's session. A message of a seller that answers reads all before it. A pause of the AI is never shortened. The
 * caller holds the conversation's lock and inserts the message in the same transaction, so that the numbers have no gaps.
 * One statement does it all, because each statement costs about as much as the rows that it changes.
 */
export async function takeNumber(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  source: Exclude<Message['source'], 'lead'>,
  { pausesAi, answers = true, settles = source !== 'seller' || answers }: Taking = {},
): Promise<TakenOutbound> {
  const answered = answers ? sql`, is_unanswered = false, waiting_since = null` : sql``;
  const pauses = pausingAi(sql, sql`clock.at`, pausesAi);
  const reads = source === 'seller' && answers ? sql`, read_number = c.next_number, unread_count = 0` : sql``;
  const settled = settles ? sql`, needs_attention = false` : sql``;
  const [taken] = await sql<TakenOutbound[]>`
    with taken as (
      update conversations c
      set next_number = c.next_number + 1, last_message_at = clock.at,
          counted_next = ${countedNext(sql)} ${settled} ${answered} ${reads} ${pauses}
      from (select clock_timestamp()::timestamptz(3) as at) as clock
      where c.store_id = ${storeId} and c.lead_id = ${leadId}
      returning c.next_number - 1 as number, clock.at),
    active as (${touchActive(sql, storeId, leadId, sql`(select at from taken)`)})
    select number, at, (select id from active) as "sessionId",
      exists (${openMessages(sql, storeId, leadId)}) as delivering
    from taken`;
  return taken as TakenOutbound;
}

/** Inserts a message, as `insertMessages` does. */
export async function insertMessage(sql: TransactionSql, storeId: string, message: NewMessage): Promise<MessageRow> {
  const [row] = await insertMessages(sql, storeId, [message]);
  return row as MessageRow;
}

/**
 * Inserts outbound messages as `queued`, inbound ones as `received`. Those without an id get one in the order of the array.
 * The caller holds the locks of the conversations.
 */
export async function insertMessages(
  sql: TransactionSql,
  storeId: string,
  messages: readonly NewMessage[],
): Promise<MessageRow[]> {
  const rows = messages.map(({ changed, ...message }) => ({
    ...message,
    ...changed,
    ...(message.quotedId !== undefined && { quotedKey: quoteKeyOf(message.quotedId) }),
  }));
  return await sql<MessageRow[]>`
    insert into messages (store_id, id, lead_id, session_id, number, created_at, direction, source, author, kind, body,
      template, metadata, status, channel_id, provider_message_id, body_truncated, reactions, edited_at, revoked_at, expires_at,
      content, media, reply_to_id, quoted_key, answers, budget_micros)
    select ${storeId}::uuid, coalesce(id, uuidv7()), lead_id, session_id, number, created_at, direction, source, author,
      coalesce(kind, 'text'), body, template, coalesce(metadata, '{}'),
      case direction when 'outbound' then 'queued' else 'received' end, channel_id, provider_message_id,
      coalesce(body_truncated, false), coalesce(reactions, '[]'), edited_at, revoked_at, expires_at, content, media,
      case when "quotedId" is not null then (
        select quoted.id from messages quoted
        where quoted.store_id = ${storeId} and quoted.channel_id = given.channel_id
          and quoted.provider_message_id = given."quotedId" and quoted.lead_id = given.lead_id) end,
      "quotedKey",
      coalesce(answers, true), budget_micros
    from rows from (
        json_to_recordset(${sql.json(rows as never)}::json)
          as (id uuid, lead_id uuid, session_id uuid, number bigint, created_at timestamptz, direction text, source text,
            author jsonb, kind text, body text, template jsonb, metadata jsonb, channel_id uuid, provider_message_id text,
            body_truncated boolean, reactions jsonb, edited_at timestamptz, revoked_at timestamptz, expires_at timestamptz,
            content jsonb, media jsonb, "quotedId" text, "quotedKey" text, answers boolean, budget_micros bigint)
      ) with ordinality
        as given (id, lead_id, session_id, number, created_at, direction, source, author, kind, body, template, metadata,
          channel_id, provider_message_id, body_truncated, reactions, edited_at, revoked_at, expires_at, content, media,
          "quotedId", "quotedKey", answers, budget_micros, place)
    order by place
    returning ${messageColumns(sql)}`;
}

export async function findMessage(
  sql: Sql,
  storeId: string,
  id: string,
): Promise<(MessageRow & MessageWait) | undefined> {
  const [row] = await sql<(MessageRow & MessageWait)[]>`
    select ${messageColumns(sql)}, wait_reason, wait_since, next_attempt_at
    from ${withWait(sql, sql`select ${messageColumns(sql)}, store_id from messages`)}
    where store_id = ${storeId} and id = ${id}`;
  return row;
}

export async function findOutcome(sql: Sql, storeId: string, id: string): Promise<Outcome | undefined> {
  const [row] = await sql<Outcome[]>`
    select id, status, error_code, error_detail from messages where store_id = ${storeId} and id = ${id}`;
  return row;
}

/** The messages with these ids, as `findMessage` reads each. */
export async function listMessagesById(
  sql: Sql,
  storeId: string,
  ids: readonly string[],
): Promise<(MessageRow & MessageWait)[]> {
  return await sql<(MessageRow & MessageWait)[]>`
    select ${messageColumns(sql)}, wait_reason, wait_since, next_attempt_at
    from ${withWait(sql, sql`select ${messageColumns(sql)}, store_id from messages`)}
    where store_id = ${storeId} and id = any(${[...ids]}::uuid[])`;
}

/** These messages, those that are queued with the wait of the first queued message of their lead. */
export const withWait = (sql: Sql, messages: ReturnType<typeof messageColumns>) => sql`
  (${messages}) message
  left join lateral (
    select head.wait_reason, head.wait_since, head.next_attempt_at from messages head
    where message.status = 'queued' and head.store_id = message.store_id and head.lead_id = message.lead_id
      and head.status = 'queued'
    order by head.number limit 1
  ) queue on true`;

/** The query for a page of the lead's messages, newest first. It starts below a message number or at an offset. */
export function listMessages(
  sql: Sql,
  storeId: string,
  leadId: string,
  page: { start: PageStart<number>; limit: number },
) {
  const { start, limit } = page;
  return sql<(MessageRow & MessageWait)[]>`
    select ${messageColumns(sql)}, wait_reason, wait_since, next_attempt_at
    from ${withWait(sql, sql`select ${messageColumns(sql)}, store_id from messages`)}
    where store_id = ${storeId} and lead_id = ${leadId} ${'after' in start ? sql`and number < ${start.after}` : sql``}
    order by number desc
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
}

/**
 * The number of the lead's messages. They are numbered from 1 without gaps: one transaction takes a number and inserts its
 * message, a merge numbers the messages of both leads again, and no role may delete a message.
 */
export async function countMessages(sql: Sql, storeId: string, leadId: string): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select (next_number - 1)::int as total from conversations where store_id = ${storeId} and lead_id = ${leadId}`;
  return row?.total ?? 0;
}

/**
 * Whether a message of the lead is `queued` or `sending`, so that the delivery workflow runs and needs no wake-up. The
 * caller holds the conversation's lock, as the step does: one of the two transactions always sees what the other wrote.
 * An `unknown` message does not count, because no workflow may be running for it.
 */
export async function isDelivering(sql: TransactionSql, storeId: string, leadId: string): Promise<boolean> {
  const [row] = await sql<[{ delivering: boolean }]>`
    select exists (${openMessages(sql, storeId, leadId)}) as delivering`;
  return row.delivering;
}

/** The messages of the AI that wait for their turn. The caller holds the conversation's lock. */
export async function listQueuedAi(
  sql: TransactionSql,
  storeId: string,
  { leadId, before }: { readonly leadId: string; readonly before: number },
): Promise<MessageRow[]> {
  return await sql<MessageRow[]>`
    select ${messageColumns(sql)} from messages
    where store_id = ${storeId} and lead_id = ${leadId} and status = 'queued' and source = 'ai' and number < ${before}
    order by number`;
}

/** The messages to the lead that are being sent over the channel, or may just have been, and have no id there yet. */
export async function listInFlight(
  sql: TransactionSql,
  storeId: string,
  { leadId, channelId }: { readonly leadId: string; readonly channelId: string },
): Promise<MessageRow[]> {
  return await sql<MessageRow[]>`
    select ${messageColumns(sql)} from messages
    where store_id = ${storeId} and lead_id = ${leadId} and channel_id = ${channelId}
      and (status = 'sending' or (status = 'unknown' and unknown_since > clock_timestamp() - interval '1 day'))
      and provider_message_id is null
    order by number`;
}

/** The query for the lead's messages that are `queued` or `sending`. */
const openMessages = (sql: Sql, storeId: string, leadId: string) => sql`
  select from messages where store_id = ${storeId} and lead_id = ${leadId} and status in ('queued', 'sending')`;

/** Whether this inbound message is stored already. */
export async function isKnownInbound(
  sql: Sql,
  storeId: string,
  { channelId, providerMessageId }: { channelId: string; providerMessageId: string },
): Promise<boolean> {
  const rows = await sql`
    select 1 from messages
    where store_id = ${storeId} and channel_id = ${channelId} and provider_message_id = ${providerMessageId}`;
  return rows.length > 0;
}
