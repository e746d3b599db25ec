import { toInstant } from '@mostrador/kit/rpc/validate';
import type { ListRows } from '@mostrador/totals';

/** The filters of this service's lists. `from` is inclusive, `to` is exclusive. */
export type ListFilters<Status extends string> = {
  readonly status?: Status;
  readonly lead_id?: string;
  readonly from?: Date;
  readonly to?: Date;
};

type Query<Status extends string> = { status?: Status; lead_id?: string; from?: string; to?: string };

export const filtersOf = <Status extends string>(query: Query<Status>): ListFilters<Status> => ({
  ...(query.status ? { status: query.status } : {}),
  ...(query.lead_id ? { lead_id: query.lead_id.toLowerCase() } : {}),
  ...(query.from ? { from: toInstant(query.from) } : {}),
  ...(query.to ? { to: toInstant(query.to) } : {}),
});

/** The rows of a list whose total is what these filters show. Undefined when a filter asks for more than a status. */
export function rowsOf<List extends string>(
  list: List,
  { status, ...others }: ListFilters<string>,
): ListRows<List> | undefined {
  if (Object.keys(others).length > 0) return undefined;
  return { list, ...(status ? { statuses: [status] } : {}) };
}

/** The filters that a cursor is bound to, as JSON. Dates become text, because a Date has no own members to compare. */
export const bindingOf = (filters: ListFilters<string>) => ({
  ...filters,
  from: filters.from?.toISOString(),
  to: filters.to?.toISOString(),
});
