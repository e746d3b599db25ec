import { toInstant } from '@mostrador/kit/rpc/validate';

/** What the lists of this service are narrowed to; of their moment, `from` is inclusive and `to` is exclusive. */
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

/** What a cursor is bound to, in JSON: a Date has no members. */
export const bindingOf = (filters: ListFilters<string>) => ({
  ...filters,
  from: filters.from?.toISOString(),
  to: filters.to?.toISOString(),
});
