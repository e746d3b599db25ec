import { type AppointmentSort, appointmentStatuses } from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import type { AppointmentRow } from './appointment.ts';
import type { AppointmentFilters } from './appointment-list.ts';

/** The query for the number of appointments. It runs when it is awaited. */
export function countAppointments(sql: Sql, storeId: string, filters: AppointmentFilters) {
  const { from, to, updated_after, updated_before } = filters;
  // With one limit, a plan for any values would expect a third of all rows, and read the whole store.
  return sql<[{ total: number }]>`
    select count(*)::int as total from appointments
    where ${matches(sql, storeId, filters)}
      ${from && !to ? sql`and scheduled_at < 'infinity'` : sql``} ${to && !from ? sql`and scheduled_at > '-infinity'` : sql``}
      ${updated_after && !updated_before ? sql`and updated_at < 'infinity'` : sql``}`;
}

/** A query for the number of appointments that `updated_before` leaves out of what the status shows. */
export const countUnsettled = (
  sql: Sql,
  storeId: string,
  { status, updated_before }: Pick<AppointmentFilters, 'status' | 'updated_before'>,
) => sql`
  select count(*) from appointments
  where store_id = ${storeId} and status = any(${[...(status ?? appointmentStatuses)]}::text[])
    and updated_at >= ${updated_before ?? 'infinity'} and updated_at <= 'infinity'`;

/** The query for a page of appointments. It runs when it is awaited. */
export function listAppointments(
  sql: Sql,
  storeId: string,
  filters: AppointmentFilters,
  page: { readonly sort: AppointmentSort; readonly start: TimePageStart; readonly limit: number },
) {
  const { sort, start, limit } = page;
  const column = sort === 'updated_at' ? sql`updated_at` : sql`scheduled_at`;
  const offset = 'offset' in start ? start.offset : 0;
  const inOrder = sql`order by ${column}, id`;
  const rowsOf = (some: AppointmentFilters) => sql`
    select * from appointments
    where ${matches(sql, storeId, some)}
      ${'after' in start ? sql`and (${column}, id) > (${start.after.at}, ${start.after.id})` : sql``}`;
  const { status = sort === 'updated_at' ? appointmentStatuses : [], lead_id } = filters;
  // No index has the rows of several statuses in order, but each status has one: their pages are merged.
  const merged = () =>
    status
      .map((one) => sql`(${rowsOf({ ...filters, status: [one] })} ${inOrder} limit ${limit + offset})`)
      .reduce((all, one) => sql`${all} union all ${one}`);
  // The appointments of one lead are few, and scattered in the order of changes.
  const rows =
    lead_id !== undefined && sort === 'updated_at'
      ? sql`with gathered as materialized (${rowsOf(filters)}) select * from gathered`
      : lead_id === undefined && status.length > 1
        ? sql`select * from (${merged()}) as merged`
        : rowsOf(filters);
  return sql<AppointmentRow[]>`${rows} ${inOrder} limit ${limit} offset ${offset}`;
}

// Conditions are composed, because with `$1 is null or …` the planner does not use the index.
function matches(sql: Sql, storeId: string, filters: AppointmentFilters) {
  const { lead_id, from, to, overlap, updated_after, updated_before } = filters;
  const isByChange = updated_after !== undefined || updated_before !== undefined;
  // The index by change has the status in front, so a filter on the change names all of them.
  const status = filters.status ?? (isByChange && lead_id === undefined ? appointmentStatuses : []);
  const begins = (moment: Date) =>
    overlap
      ? // An appointment lasts a day at most, so the index finds those that may end after the moment.
        sql`scheduled_at > ${moment}::timestamptz - interval '24 hours'
          and scheduled_at + duration_minutes * interval '1 minute' > ${moment}`
      : sql`scheduled_at >= ${moment}`;
  return sql`store_id = ${storeId}
    ${status.length === 1 ? sql`and status = ${status[0] as string}` : sql``}
    ${status.length > 1 ? sql`and status = any(${[...status]}::text[])` : sql``}
    ${lead_id ? sql`and lead_id = ${lead_id}` : sql``}
    ${from ? sql`and ${begins(from)}` : sql``}
    ${to ? sql`and scheduled_at < ${to}` : sql``}
    ${updated_after ? sql`and updated_at > ${updated_after}` : sql``}
    ${updated_before ? sql`and updated_at < ${updated_before}` : sql``}`;
}
