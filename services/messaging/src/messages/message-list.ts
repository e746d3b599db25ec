import { type listStoreMessages, type MessageStatus, messageStatuses, type RequestOf } from '@mostrador/contracts';
import { valuesOf } from '@mostrador/kit/database/filter-values';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import type { ListRows } from '@mostrador/totals';

export type MessageFilters = {
  /** One of these. None: no message matches. */
  readonly statuses: readonly MessageStatus[];
  readonly lead_id?: string;
  /** This bound and the next one are exclusive. */
  readonly updated_after?: Date;
  readonly updated_before: Date;
};

type Query = RequestOf<typeof listStoreMessages>['query'];

/** The filters of a list that ends before `updated_before`. A direction is a set of statuses. */
export function filtersOf({ since, lead_id, direction, status }: Query, updated_before: Date): MessageFilters {
  const asked = valuesOf(status);
  const statuses = messageStatuses.filter(
    (one) =>
      (asked.size === 0 || asked.has(one)) &&
      (direction === undefined || (direction === 'inbound') === (one === 'received')),
  );
  return {
    statuses,
    ...(lead_id ? { lead_id: lead_id.toLowerCase() } : {}),
    ...(since ? { updated_after: toInstant(since) } : {}),
    updated_before,
  };
}

/**
 * The rows of the list whose total is what these filters show, before `updated_before` leaves some out. Undefined when a
 * filter asks for more than a status.
 */
export function rowsOf({ statuses, lead_id, updated_after }: MessageFilters): ListRows<'messages'> | undefined {
  return lead_id === undefined && updated_after === undefined ? { list: 'messages', statuses } : undefined;
}

/** What a cursor is bound to: what was asked, so that a later version with more statuses accepts it. */
export const bindingOf = ({ since, lead_id, direction, status }: Query): object => ({
  since: since && toTimestamp(toInstant(since)),
  lead_id: lead_id?.toLowerCase(),
  direction,
  status: [...valuesOf(status)].join(),
});

/**
 * The filters that a page after this moment still needs. With two lower bounds on one column, PostgreSQL would begin at
 * the first and read on to the second.
 */
export function filtersBeyond(filters: MessageFilters, at: Date): MessageFilters {
  const { updated_after, ...others } = filters;
  return updated_after !== undefined && updated_after > at ? filters : others;
}
