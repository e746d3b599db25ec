import type { Sql, TransactionSql } from '@mostrador/kit/database/database';

/** A lead's conversation, of which there is one. */
export type ConversationRow = {
  readonly store_id: string;
  readonly lead_id: string;
  /** The lead's name for the channel, once it is known. */
  readonly wa_id: string | null;
  readonly next_number: number;
  readonly last_inbound_at: Date | null;
  readonly opted_out_at: Date | null;
  readonly interaction_count: number;
  readonly reported_count: number;
};

/** What of the row this service's code works with; the pair's rate is looked at where it is kept. */
const columns = (sql: Sql) => sql`
  store_id, lead_id, wa_id, next_number, last_inbound_at, opted_out_at, interaction_count, reported_count`;

/**
 * The conversation, locked until the transaction ends. Whoever accepts a message, in either direction, or decides which
 * one is sent next, holds this lock first: it makes the numbers the order of acceptance. Lock order: conversation, then
 * message.
 */
export async function lockConversation(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
): Promise<ConversationRow | undefined> {
  const [row] = await sql<ConversationRow[]>`
    select ${columns(sql)} from conversations where store_id = ${storeId} and lead_id = ${leadId} for no key update`;
  return row;
}

/** The same, made when there is none yet. That the lead exists is for the caller to know. */
export async function ensureConversation(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
): Promise<ConversationRow> {
  const known = await lockConversation(sql, storeId, leadId);
  if (known) return known;
  await sql`insert into conversations (store_id, lead_id) values (${storeId}, ${leadId}) on conflict do nothing`;
  return (await lockConversation(sql, storeId, leadId)) as ConversationRow;
}

export async function conversationExists(sql: Sql, storeId: string, leadId: string): Promise<boolean> {
  const rows = await sql`select 1 from conversations where store_id = ${storeId} and lead_id = ${leadId}`;
  return rows.length > 0;
}

/**
 * The next number of the conversation, which is locked, and the moment at which it was taken: the moment of acceptance.
 * For a message that this transaction inserts, and for nothing else: the numbers have no gaps.
 */
export async function takeNumber(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
): Promise<{ number: number; at: Date }> {
  const [taken] = await sql<{ number: number; at: Date }[]>`
    update conversations set next_number = next_number + 1
    where store_id = ${storeId} and lead_id = ${leadId}
    returning next_number - 1 as number, clock_timestamp()::timestamptz(3) as at`;
  return taken as { number: number; at: Date };
}

/**
 * Counts one message of the lead that was received, or that has become sent; the conversation is locked. Once per
 * message: the caller knows that this transaction made it so. Returns the count, for crm to be told after the commit.
 */
export async function countInteraction(sql: TransactionSql, storeId: string, leadId: string): Promise<number> {
  const [counted] = await sql<{ interaction_count: number }[]>`
    update conversations set interaction_count = interaction_count + 1
    where store_id = ${storeId} and lead_id = ${leadId} returning interaction_count`;
  return counted?.interaction_count ?? 0;
}

/** The lead whose conversation the channel knows under this id. */
export async function findLeadByWaId(sql: Sql, storeId: string, waId: string): Promise<string | undefined> {
  const [row] = await sql<{ lead_id: string }[]>`
    select lead_id from conversations where store_id = ${storeId} and wa_id = ${waId}`;
  return row?.lead_id;
}

export type TakenInbound = {
  /** Of the message, as `takeNumber` gives them for others, and an id for it. */
  readonly id: string;
  readonly number: number;
  readonly at: Date;
  readonly interactionCount: number;
};

/**
 * The lead wrote, under this id of the channel's; the conversation is locked. Takes the message's number and counts it,
 * all at once: a row that is written once for a message costs a third. `writtenAt` is given when that, and not the
 * present, is when the message counts as written; `wish`, when the lead has one about being written to.
 */
export async function takeInbound(
  sql: TransactionSql,
  storeId: string,
  leadId: string,
  { waId, writtenAt, wish }: { waId: string; writtenAt: Date | null; wish: 'stop' | 'start' | null },
): Promise<TakenInbound> {
  const [taken] = await sql<TakenInbound[]>`
    update conversations c
    set next_number = c.next_number + 1, interaction_count = c.interaction_count + 1, wa_id = ${waId},
        last_inbound_at = greatest(c.last_inbound_at, coalesce(${writtenAt}::timestamptz, clock.at)),
        opted_out_at = case ${wish}::text when 'stop' then coalesce(c.opted_out_at, clock.at)
                                          when 'start' then null else c.opted_out_at end
    from (select clock_timestamp()::timestamptz(3) as at) as clock
    where c.store_id = ${storeId} and c.lead_id = ${leadId}
    returning uuidv7() as id, c.next_number - 1 as number, clock.at, c.interaction_count as "interactionCount"`;
  return taken as TakenInbound;
}
