import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { messageColumns, withWait } from './message.repository.ts';
import type { MessageRow, MessageWait } from './message.ts';
import type { MessageFilters } from './message-list.ts';

/** The query for the number of messages. It runs when it is awaited. */
export function countStoreMessages(sql: Sql, storeId: string, filters: MessageFilters) {
  return sql<[{ total: number }]>`
    select count(*)::int as total from messages
    where ${matches(sql, storeId, filters)} and status = any(${[...filters.statuses]}::text[])`;
}

/** A query for the number of messages that `updated_before` leaves out of what the other filters show. */
export const countUnsettled = (
  sql: Sql,
  storeId: string,
  { statuses, updated_before }: Pick<MessageFilters, 'statuses' | 'updated_before'>,
) => sql`
  select count(*) from messages
  where store_id = ${storeId} and status = any(${[...statuses]}::text[])
    and updated_at >= ${updated_before} and updated_at < 'infinity'`;

/** The query for a page of messages, the oldest change first. It runs when it is awaited. */
export function listStoreMessages(
  sql: Sql,
  storeId: string,
  filters: MessageFilters,
  { start, limit }: { start: TimePageStart; limit: number },
) {
  const offset = 'offset' in start ? start.offset : 0;
  const after = 'after' in start ? sql`and (updated_at, id) > (${start.after.at}, ${start.after.id})` : sql``;
  const rows = sql`
    select ${messageColumns(sql)}, store_id from messages where ${matches(sql, storeId, filters)} ${after}`;
  const inOrder = sql`order by updated_at, id`;
  // One index has the rows of each status in order, so that it serves every filter: their pages are merged.
  const merged = () =>
    filters.statuses
      .map((one) => sql`(${rows} and status = ${one} ${inOrder} limit ${limit + offset})`)
      .reduce((all, one) => sql`${all} union all ${one}`);
  // The messages of one lead are few, and scattered in this order.
  const gathered = () => sql`
    with gathered as materialized (${rows} and status = any(${[...filters.statuses]}::text[])) select * from gathered`;
  const page = filters.lead_id ? gathered() : sql`select * from (${merged()}) as merged`;
  return sql<(MessageRow & MessageWait)[]>`
    select * from ${withWait(sql, sql`${page} ${inOrder} limit ${limit} offset ${offset}`)} ${inOrder}`;
}

// Composed instead of `$1 is null or …`: a condition that is always in the statement would prevent an index scan.
function matches(sql: Sql, storeId: string, { lead_id, updated_after, updated_before }: MessageFilters) {
  return sql`store_id = ${storeId} and updated_at < ${updated_before}
    ${lead_id ? sql`and lead_id = ${lead_id}` : sql``}
    ${updated_after ? sql`and updated_at > ${updated_after}` : sql``}`;
}
