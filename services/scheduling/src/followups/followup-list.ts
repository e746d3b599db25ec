import {
  type FollowupSort,
  type FollowupStatus,
  followupStatuses,
  type listFollowups,
  type RequestOf,
} from '@mostrador/contracts';
import { valuesOf } from '@mostrador/kit/database/filter-values';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import type { ListRows } from '@mostrador/totals';

export type FollowupFilters = {
  /** One of these; at least one. */
  readonly status?: readonly FollowupStatus[];
  readonly lead_id?: string;
  readonly appointment_id?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  /** This bound and the next one are exclusive. */
  readonly updated_after?: Date;
  readonly updated_before?: Date;
};

export function filtersOf(query: RequestOf<typeof listFollowups>['query']): FollowupFilters {
  const { status, lead_id, appointment_id, from, to, updated_after } = query;
  const statuses = valuesOf(status) as Set<FollowupStatus>;
  return {
    ...(statuses.size > 0 && statuses.size < followupStatuses.length ? { status: [...statuses] } : {}),
    ...(lead_id ? { lead_id: lead_id.toLowerCase() } : {}),
    ...(appointment_id ? { appointment_id: appointment_id.toLowerCase() } : {}),
    ...(from ? { from: toInstant(from) } : {}),
    ...(to ? { to: toInstant(to) } : {}),
    ...(updated_after ? { updated_after: toInstant(updated_after) } : {}),
  };
}

/**
 * The rows of the list whose total is what these filters show, before `updated_before` leaves some out. Undefined when a
 * filter asks for more than a status.
 */
export function rowsOf({ status, updated_before: _, ...others }: FollowupFilters): ListRows<'followups'> | undefined {
  if (Object.keys(others).length > 0) return undefined;
  return { list: 'followups', ...(status ? { statuses: status } : {}) };
}

/** What a cursor is bound to. A query of an earlier version has the same form, so that its cursors stay good. */
export const bindingOf = (
  { status, lead_id, appointment_id, from, to, updated_after }: FollowupFilters,
  sort: FollowupSort,
): object => ({
  status: status?.join(),
  lead_id,
  appointment_id,
  from: from && toTimestamp(from),
  to: to && toTimestamp(to),
  updated_after: updated_after && toTimestamp(updated_after),
  sort: sort === 'due_at' ? undefined : sort,
});

/**
 * The filters that a page by `updated_at` after this moment still needs. With two lower bounds on one column, PostgreSQL
 * would begin at the first and read on to the second.
 */
export function filtersBeyond(filters: FollowupFilters, at: Date): FollowupFilters {
  const { updated_after, ...others } = filters;
  return updated_after !== undefined && updated_after > at ? filters : others;
}
