import { type ConversationSort, maxPreviewLength } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { unreadAfter } from './catch-up.repository.ts';
import type { InboxFilters, InboxRow } from './inbox.ts';

/** The query for the number of conversations. It runs when it is awaited. */
export function countConversations(sql: Sql, storeId: string, filters: InboxFilters) {
  const { sellers, ...others } = filters;
  return sql<[{ total: number }]>`
    select count(*)::int as total from conversations
    where ${matches(sql, storeId, others)} ${sellers ? sql`and ${ofSellers(sql, sellers)}` : sql``}`;
}

// As in the index. Under row-level security `coalesce` would not be a condition of an index.
const waitingSince = (sql: Sql) => sql`case when waiting_since is null then last_message_at else waiting_since end`;

/** The query for a page of conversations. Sorted by waiting it needs the filter `unanswered`. It runs when it is awaited. */
export function listConversations(
  sql: Sql,
  storeId: string,
  filters: InboxFilters,
  { sort, start, limit }: { sort: ConversationSort; start: TimePageStart; limit: number },
) {
  const { sellers = [], ...others } = filters;
  const offset = 'offset' in start ? start.offset : 0;
  const byWaiting = sort === 'waiting_since';
  const orderedAt = byWaiting ? waitingSince(sql) : sql`last_message_at`;
  const after =
    'after' in start
      ? sql`and (${orderedAt}, lead_id) ${byWaiting ? sql`>` : sql`<`} (${start.after.at}, ${start.after.id})`
      : sql``;
  const direction = byWaiting ? sql`asc` : sql`desc`;
  const inOrder = sql`order by ordered_at ${direction}, id ${direction}`;
  const rowsOf = (...some: readonly (string | null)[]) => sql`
    select store_id, lead_id as id, next_number - 1 as last_number, lead_name, lead_phone, lead_user_id,
      lead_username, lead_status, seller_id,
      ai_paused_until, ai_paused_by, last_message_at, last_inbound_at, called_at, handover_at,
      handover_owner, standby_at, standby_ended_at, opted_out_at, unread_count,
      is_unanswered, needs_attention,
      case when is_unanswered then ${waitingSince(sql)} end as waiting_since, ${orderedAt} as ordered_at
    from conversations
    where ${matches(sql, storeId, others)} ${some.length > 0 ? sql`and ${ofSellers(sql, some)}` : sql``} ${after}`;
  // No index has the rows of several sellers in order, but each seller has them so: their pages are merged.
  const merged = () =>
    sellers
      .map((one) => sql`(${rowsOf(one)} ${inOrder} limit ${limit + offset})`)
      .reduce((all, one) => sql`${all} union all ${one}`);
  const found = () => sql`with found as materialized (${rowsOf(...sellers)}) select * from found`;
  // Those who wait are few, and have an order of their own.
  const isMerged = sellers.length > 1 && !byWaiting;
  const rows = isMerged ? sql`select * from (${merged()}) as merged` : others.lead_ids ? found() : rowsOf(...sellers);
  return sql<InboxRow[]>`
    select page.*, m.id as message_id, m.direction, m.source, m.kind, left(m.body, ${maxPreviewLength}) as body, m.status,
      m.created_at, m.revoked_at, coalesce((m.media ->> 'voice')::boolean, false) as voice
    from (${rows} ${inOrder} limit ${limit} offset ${offset}) as page
    join messages m on m.store_id = page.store_id and m.lead_id = page.id and m.number = page.last_number
    order by page.ordered_at ${direction}, page.id ${direction}`;
}

const ofSeller = (sql: Sql, seller: string | null) =>
  seller === null ? sql`seller_id is null` : sql`seller_id = ${seller}`;

const ofSellers = (sql: Sql, sellers: readonly (string | null)[]) =>
  sql`(${sellers.map((one) => ofSeller(sql, one)).reduce((all, one) => sql`${all} or ${one}`)})`;

// Composed instead of `$1 is null or …`: a condition that is always in the statement would prevent an index scan.
function matches(sql: Sql, storeId: string, filters: Omit<InboxFilters, 'sellers'>) {
  const { statuses, unread, unanswered, needs_attention, paused_at, lead_ids } = filters;
  const conditions = [
    statuses && sql`lead_status = any(${[...statuses]}::text[])`,
    unread && sql`unread_count > 0`,
    unanswered && sql`is_unanswered`,
    needs_attention && sql`needs_attention`,
    paused_at && sql`ai_paused_until > ${paused_at}`,
    lead_ids && sql`lead_id = any(${[...lead_ids]}::uuid[])`,
  ];
  // The indexes have only conversations with a message whose lead is known.
  let all = sql`store_id = ${storeId} and last_message_at is not null and lead_version is not null`;
  for (const condition of conditions) if (condition) all = sql`${all} and ${condition}`;
  return all;
}

/** Reads all up to a message. Returns how many are left. The caller holds the conversation's lock. */
export async function saveRead(sql: TransactionSql, storeId: string, leadId: string, number: number): Promise<number> {
  const [row] = await sql<{ unread_count: number }[]>`
    update conversations c set read_number = ${number}, unread_count = ${unreadAfter(sql, sql`${number}`)}
    where c.store_id = ${storeId} and c.lead_id = ${leadId}
    returning unread_count`;
  return row?.unread_count ?? 0;
}
