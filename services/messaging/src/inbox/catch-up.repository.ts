import type { AiPauser } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { waitingAgain } from '../conversations/conversation.repository.ts';

/** A conversation whose columns for the inbox are not right yet. */
export type BehindRow = {
  readonly store_id: string;
  readonly lead_id: string;
  readonly counted_next: number;
  /** Whether its messages are counted. */
  readonly is_counted: boolean;
  /** Whether its lead is known. */
  readonly is_known: boolean;
};

/** A lead as crm has it. */
export type InboxLead = {
  readonly lead_id: string;
  readonly version: number;
  readonly name: string;
  readonly customer_phone: string | null;
  readonly channel_user_id?: string | null;
  readonly username?: string | null;
  readonly status: string;
  readonly seller_id: string | null;
  readonly ai_paused_until: string | null;
  readonly ai_paused_by?: AiPauser | null;
  /** The last pause of this service that crm knew with this. */
  readonly ai_pause_version: number;
};

const behind = (sql: Sql) => sql`
  select store_id, lead_id, counted_next, counted_next = next_number as is_counted, lead_version is not null as is_known
  from conversations where next_number > 1 and (counted_next < next_number or lead_version is null)`;

/** The query for conversations of any store that are behind, in one order. `after` is the last one before. */
export function findBehind(
  systemSql: Sql,
  { after, limit }: { readonly after: BehindRow | undefined; readonly limit: number },
) {
  return systemSql<BehindRow[]>`
    ${behind(systemSql)}
    ${after ? systemSql`and (store_id, counted_next, lead_id) > (${after.store_id}, ${after.counted_next}, ${after.lead_id})` : systemSql``}
    order by store_id, counted_next, lead_id limit ${limit}`;
}

/** The query for some conversations of a store that are behind. */
export function findBehindOf(sql: Sql, storeId: string, limit: number) {
  return sql<BehindRow[]>`${behind(sql)} and store_id = ${storeId} order by counted_next, lead_id limit ${limit}`;
}

/** Locks conversations in the order of their ids. */
export async function lockConversations(
  sql: TransactionSql,
  storeId: string,
  leadIds: readonly string[],
): Promise<void> {
  await sql`
    select 1 from conversations where store_id = ${storeId} and lead_id = any(${[...leadIds]}::uuid[])
    order by lead_id for no key update`;
}

/**
 * Sets what the inbox shows of the messages of conversations from the messages themselves. The caller holds the locks of
 * the conversations. The trigger `note_trouble` has the same rules.
 */
export async function countAgain(sql: TransactionSql, storeId: string, leadIds: readonly string[]): Promise<void> {
  await sql`
    update conversations c
    set last_message_at = (
          select m.created_at from messages m
          where m.store_id = c.store_id and m.lead_id = c.lead_id and m.number = c.next_number - 1),
        ${waitingAgain(sql)},
        needs_attention = coalesce((
          select m.status in ('failed', 'unknown') from messages m
          where m.store_id = c.store_id and m.lead_id = c.lead_id and m.status <> 'cancelled'
            and m.direction = 'outbound'
          order by m.number desc limit 1), false),
        unread_count = ${unreadAfter(sql, sql`c.read_number`)},
        counted_next = c.next_number
    where c.store_id = ${storeId} and c.lead_id = any(${[...leadIds]}::uuid[])`;
}

/** The number of inbound messages of the conversation `c` after a message number. */
export const unreadAfter = (sql: Sql, number: ReturnType<typeof behind>) => sql`(
  select count(*)::int from messages m
  where m.store_id = c.store_id and m.lead_id = c.lead_id and m.number > ${number} and m.direction = 'inbound')`;

/**
 * Stores leads, unless the conversation has them in the same or a later version. A pause of the AI counts only if crm knew
 * the last one that a message began: a person who writes wins. What the AI wrote before a new pause is not sent.
 */
export async function saveLeads(sql: TransactionSql, storeId: string, leads: readonly InboxLead[]): Promise<void> {
  await sql`
    update conversations c
    set lead_version = told.version, lead_name = told.name, lead_phone = told.customer_phone,
        lead_user_id = told.channel_user_id, lead_username = told.username,
        lead_status = told.status, seller_id = told.seller_id,
        ai_paused_until = case when told.knew then told.ai_paused_until else c.ai_paused_until end,
        ai_paused_by = case when told.knew and told.ai_paused_until is distinct from c.ai_paused_until
          then told.ai_paused_by else c.ai_paused_by end,
        ai_pause_number = case
          when told.knew and told.ai_paused_until > clock_timestamp()
            and told.ai_paused_until is distinct from c.ai_paused_until
          then c.next_number else c.ai_pause_number end
    from (
      select told.*, coalesce(told.ai_pause_version, 0) >= held.ai_pause_version as knew
      from jsonb_to_recordset(${sql.json(leads)}) as told (lead_id uuid, version integer, name text,
        customer_phone text, channel_user_id text, username text, status text, seller_id uuid,
        ai_paused_until timestamptz(3), ai_paused_by jsonb, ai_pause_version integer)
      join conversations held on held.store_id = ${storeId} and held.lead_id = told.lead_id
      where held.lead_version is null or held.lead_version < told.version
      order by held.lead_id for no key update of held) as told
    where c.store_id = ${storeId} and c.lead_id = told.lead_id`;
}

/** Conversations with leads of a seller, in the order of their ids. */
export async function listLeadsOfSeller(
  sql: Sql,
  storeId: string,
  sellerId: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ lead_id: string }[]>`
    select lead_id from conversations
    where store_id = ${storeId} and seller_id = ${sellerId} ${after ? sql`and lead_id > ${after}` : sql``}
    order by lead_id limit ${limit}`;
  return rows.map(({ lead_id }) => lead_id);
}
