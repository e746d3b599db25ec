import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import type { FollowupRow } from './followup.ts';
import type { FollowupFilters } from './followup-list.ts';

/** The query for the number of follow-ups. It runs when it is awaited. */
export function countFollowups(sql: Sql, storeId: string, filters: FollowupFilters) {
  const { from, to, updated_after } = filters;
  // With one limit, a plan for any values would expect a third of all rows, and read the whole store.
  return sql<[{ total: number }]>`
    select count(*)::int as total from followups
    where ${matches(sql, storeId, filters)}
      ${from && !to ? sql`and due_at < 'infinity'` : sql``} ${to && !from ? sql`and due_at > '-infinity'` : sql``}
      ${updated_after ? sql`and updated_at < 'infinity'` : sql``}`;
}

/** The query for a page of follow-ups. It runs when it is awaited. */
export function listFollowups(
  sql: Sql,
  storeId: string,
  filters: FollowupFilters,
  { start, limit }: { start: TimePageStart; limit: number },
) {
  const after = 'after' in start ? start.after : undefined;
  const offset = 'offset' in start ? start.offset : 0;
  const { status = [] } = filters;
  const inOrder = sql`order by due_at, id`;
  const rowsOf = (some: FollowupFilters) => sql`
    select * from followups
    where ${matches(sql, storeId, some)}
      ${after ? sql`and (due_at, id) > (${after.at}, ${after.id})` : sql``}`;
  // No index has the rows of several statuses in order, but each status has them: their pages are merged.
  const merged = () =>
    status
      .map((one) => sql`(${rowsOf({ ...filters, status: [one] })} ${inOrder} limit ${limit + offset})`)
      .reduce((all, one) => sql`${all} union all ${one}`);
  const rows = status.length > 1 ? sql`select * from (${merged()}) as merged` : rowsOf(filters);
  return sql<FollowupRow[]>`${rows} ${inOrder} limit ${limit} offset ${offset}`;
}

// Conditions are composed, because with `$1 is null or …` the planner does not use the index.
function matches(sql: Sql, storeId: string, filters: FollowupFilters) {
  const { status = [], lead_id, appointment_id, from, to, updated_after } = filters;
  return sql`store_id = ${storeId}
    ${status.length === 1 ? sql`and status = ${status[0] as string}` : sql``}
    ${status.length > 1 ? sql`and status = any(${[...status]}::text[])` : sql``}
    ${lead_id ? sql`and lead_id = ${lead_id}` : sql``}
    ${appointment_id ? sql`and appointment_id = ${appointment_id}` : sql``}
    ${from ? sql`and due_at >= ${from}` : sql``}
    ${to ? sql`and due_at < ${to}` : sql``}
    ${updated_after ? sql`and updated_at > ${updated_after}` : sql``}`;
}
