import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { PageStart } from '@mostrador/kit/database/paging';
import type { MessageRow, Template } from './message.ts';

export type NewMessage = {
  /** Made when not given. */
  readonly id?: string | undefined;
  readonly lead_id: string;
  readonly session_id: string;
  /** From `takeNumber`, as `created_at` is. */
  readonly number: number;
  readonly created_at: Date;
  readonly direction: MessageRow['direction'];
  readonly source: MessageRow['source'];
  readonly body: string;
  /** `text` unless said. */
  readonly kind?: string;
  readonly template?: Template | null | undefined;
  /** Of an inbound message: where it came from, and its id there. */
  readonly channel_id?: string;
  readonly provider_message_id?: string;
};

/** The columns of a `MessageRow`. */
export const messageColumns = (sql: Sql) => sql`
  id, lead_id, session_id, number, channel_id, direction, source, kind, body, template, status, error_code,
  error_detail, provider_message_id, created_at, sent_at, delivered_at, read_at`;

/** An outbound message is `queued` and due at once, an inbound one `received`. The conversation is locked. */
export async function insertMessage(sql: TransactionSql, storeId: string, message: NewMessage): Promise<MessageRow> {
  const { direction, template } = message;
  const [row] = await sql<MessageRow[]>`
    insert into messages (store_id, id, lead_id, session_id, number, created_at, direction, source, kind, body, template,
      status, channel_id, provider_message_id)
    values (${storeId}, coalesce(${message.id ?? null}::uuid, uuidv7()), ${message.lead_id}, ${message.session_id},
      ${message.number}, ${message.created_at}, ${direction}, ${message.source}, ${message.kind ?? 'text'},
      ${message.body}, ${template ? sql.json(template as never) : null},
      ${direction === 'outbound' ? 'queued' : 'received'}, ${message.channel_id ?? null},
      ${message.provider_message_id ?? null})
    returning ${messageColumns(sql)}`;
  return row as MessageRow;
}

export async function findMessage(sql: Sql, storeId: string, id: string): Promise<MessageRow | undefined> {
  const [row] = await sql<MessageRow[]>`
    select ${messageColumns(sql)} from messages where store_id = ${storeId} and id = ${id}`;
  return row;
}

/** The lead's messages, newest first: those before a number, or after a number of rows. */
export async function listMessages(
  sql: Sql,
  storeId: string,
  leadId: string,
  page: { start: PageStart<number>; limit: number },
): Promise<MessageRow[]> {
  const { start, limit } = page;
  return await sql<MessageRow[]>`
    select ${messageColumns(sql)} from messages
    where store_id = ${storeId} and lead_id = ${leadId} ${'after' in start ? sql`and number < ${start.after}` : sql``}
    order by number desc
    limit ${limit} offset ${'offset' in start ? start.offset : 0}`;
}

export async function countMessages(sql: Sql, storeId: string, leadId: string): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from messages where store_id = ${storeId} and lead_id = ${leadId}`;
  return row?.total ?? 0;
}

/**
 * Whether a message of the lead's is on its way out, so that the delivery workflow is there and will look again. Asked
 * with the conversation locked, as the step asks: then one of the two sees what the other wrote. An `unknown` one holds
 * the queue for a while without anybody at work, so it does not count.
 */
export async function isDelivering(sql: TransactionSql, storeId: string, leadId: string): Promise<boolean> {
  const rows = await sql`
    select 1 from messages
    where store_id = ${storeId} and lead_id = ${leadId} and status in ('queued', 'sending') limit 1`;
  return rows.length > 0;
}

/** Whether the channel has brought this message before. */
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
