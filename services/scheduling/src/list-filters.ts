import { valuesOf } from '@mostrador/kit/database/filter-values';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import type { ListRows } from '@mostrador/totals';

/** The filters that both lists of this service have. */
export type ListFilters<Status extends string> = {
  /** One of these; at least one. */
  readonly status?: readonly Status[];
  readonly lead_id?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  /** This bound and the next one are exclusive. */
  readonly updated_after?: Date;
  readonly updated_before?: Date;
};

type Query = { status?: string; lead_id?: string; from?: string; to?: string; updated_after?: string };

/** The filters of a query. Naming every status is no filter. */
export function filtersOf<Status extends string>(query: Query, statuses: readonly Status[]): ListFilters<Status> {
  const { status, lead_id, from, to, updated_after } = query;
  const named = valuesOf(status) as Set<Status>;
  return {
    ...(named.size > 0 && named.size < statuses.length ? { status: [...named] } : {}),
    ...(lead_id ? { lead_id: lead_id.toLowerCase() } : {}),
    ...(from ? { from: toInstant(from) } : {}),
    ...(to ? { to: toInstant(to) } : {}),
    ...(updated_after ? { updated_after: toInstant(updated_after) } : {}),
  };
}

/**
 * The rows of a list whose total is what these filters show, before `updated_before` leaves some out. Undefined when a
 * filter asks for more than a status.
 */
export function rowsOf<List extends string>(
  list: List,
  { status, updated_before: _, ...others }: ListFilters<string>,
): ListRows<List> | undefined {
  if (Object.keys(others).length > 0) return undefined;
  return { list, ...(status ? { statuses: status } : {}) };
}

/**
 * What a cursor is bound to, as JSON. `sort` is undefined for the default order: a query of an earlier version has the
 * same form, so that its cursors stay good.
 */
export const bindingOf = (
  { status, lead_id, from, to, updated_after, updated_before: _, ...own }: ListFilters<string>,
  sort: string | undefined,
): object => ({
  status: status?.join(),
  lead_id,
  from: from && toTimestamp(from),
  to: to && toTimestamp(to),
  updated_after: updated_after && toTimestamp(updated_after),
  sort,
  ...own,
});

/**
 * The filters that a page by `updated_at` after this moment still needs. With two lower bounds on one column, PostgreSQL
 * would begin at the first and read on to the second.
 */
export function filtersBeyond<Filters extends ListFilters<string>>(filters: Filters, at: Date): Filters {
  const { updated_after, ...others } = filters;
  return updated_after !== undefined && updated_after > at ? filters : (others as Filters);
}
