import { type FollowupStatus, followupStatuses, type listFollowups, type RequestOf } from '@mostrador/contracts';
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
  /** Exclusive. */
  readonly updated_after?: Date;
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

/** The rows of the list whose total is what these filters show. Undefined when a filter asks for more than a status. */
export function rowsOf({ status, ...others }: FollowupFilters): ListRows<'followups'> | undefined {
  if (Object.keys(others).length > 0) return undefined;
  return { list: 'followups', ...(status ? { statuses: status } : {}) };
}

/** What a cursor is bound to. One status is the text that it was before a list took several, so old cursors stay good. */
export const bindingOf = ({ status, from, to, updated_after, ...ids }: FollowupFilters): object => ({
  ...ids,
  status: status?.join(),
  from: from && toTimestamp(from),
  to: to && toTimestamp(to),
  updated_after: updated_after && toTimestamp(updated_after),
});
