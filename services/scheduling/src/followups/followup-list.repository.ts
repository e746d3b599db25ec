import { type FollowupSort, followupStatuses } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import type { FollowupRow } from './followup.ts';
import type { FollowupFilters } from './followup-list.ts';

/** The query for the number of follow-ups. It runs when it is awaited. */
export function countFollowups(sql: Sql, storeId: string, filters: FollowupFilters) {
  const { from, to, updated_after, updated_before } = filters;
  // With one limit, a plan for any values would expect a third of all rows, and read the whole store.
  return sql<[{ total: number }]>`
    select count(*)::int as total from followups
    where ${matches(sql, storeId, filters)}
      ${from && !to ? sql`and due_at < 'infinity'` : sql``} ${to && !from ? sql`and due_at > '-infinity'` : sql``}
      ${updated_after && !updated_before ? sql`and updated_at < 'infinity'` : sql``}`;
}

/** A query for the number of follow-ups that `updated_before` leaves out of what the status shows. */
export const countUnsettled = (
  sql: Sql,
  storeId: string,
  { status, updated_before }: Pick<FollowupFilters, 'status' | 'updated_before'>,
) => sql`
  select count(*) from followups
  where store_id = ${storeId} and status = any(${[...(status ?? followupStatuses)]}::text[])
    and updated_at >= ${updated_before ?? 'infinity'} and updated_at <= 'infinity'`;

/** The query for a page of follow-ups. It runs when it is awaited. */
export function listFollowups(
  sql: Sql,
  storeId: string,
  filters: FollowupFilters,
  page: { readonly sort: FollowupSort; readonly start: TimePageStart; readonly limit: number },
) {
  const { sort, start, limit } = page;
  const column = sort === 'updated_at' ? sql`updated_at` : sql`due_at`;
  const offset = 'offset' in start ? start.offset : 0;
  const inOrder = sql`order by ${column}, id`;
  const rowsOf = (some: FollowupFilters) => sql`
    select * from followups
    where ${matches(sql, storeId, some)}
      ${'after' in start ? sql`and (${column}, id) > (${start.after.at}, ${start.after.id})` : sql``}`;
  const { status = sort === 'updated_at' ? followupStatuses : [] } = filters;
  // No index has the rows of several statuses in order, but each status has one: their pages are merged.
  const merged = () =>
    status
      .map((one) => sql`(${rowsOf({ ...filters, status: [one] })} ${inOrder} limit ${limit + offset})`)
      .reduce((all, one) => sql`${all} union all ${one}`);
  // The follow-ups of one lead or appointment are few, and scattered in the order of changes.
  const gathered = () => sql`with gathered as materialized (${rowsOf(filters)}) select * from gathered`;
  const several = () => (status.length > 1 ? sql`select * from (${merged()}) as merged` : rowsOf(filters));
  const ofOne = () => (sort === 'updated_at' ? gathered() : rowsOf(filters));
  return sql<FollowupRow[]>`
    ${isOfOne(filters) ? ofOne() : several()} ${inOrder} limit ${limit} offset ${offset}`;
}

const isOfOne = ({ lead_id, appointment_id }: FollowupFilters): boolean =>
  lead_id !== undefined || appointment_id !== undefined;

// Conditions are composed, because with `$1 is null or …` the planner does not use the index.
function matches(sql: Sql, storeId: string, filters: FollowupFilters) {
  const { lead_id, appointment_id, from, to, updated_after, updated_before } = filters;
  const isByChange = updated_after !== undefined || updated_before !== undefined;
  // The index by change has the status in front, so a filter on the change names all of them.
  const status = filters.status ?? (isByChange && !isOfOne(filters) ? followupStatuses : []);
  return sql`store_id = ${storeId}
    ${status.length === 1 ? sql`and status = ${status[0] as string}` : sql``}
    ${status.length > 1 ? sql`and status = any(${[...status]}::text[])` : sql``}
    ${lead_id ? sql`and lead_id = ${lead_id}` : sql``}
    ${appointment_id ? sql`and appointment_id = ${appointment_id}` : sql``}
    ${from ? sql`and due_at >= ${from}` : sql``}
    ${to ? sql`and due_at < ${to}` : sql``}
    ${updated_after ? sql`and updated_at > ${updated_after}` : sql``}
    ${updated_before ? sql`and updated_at < ${updated_before}` : sql``}`;
}
