import {
  type LeadSort,
  leadStatuses,
  type listLeads,
  mostCountedLeads,
  noSeller,
  type RequestOf,
} from '@mostrador/contracts';
import { valuesOf } from '@mostrador/kit/database/filter-values';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { ListRows } from '@mostrador/totals';
import { emailKey, type LeadRow } from './lead.ts';
import { type LeadSearch, readSearch } from './lead-search.ts';

export type LeadFilters = {
  /** One of these; at least one. */
  readonly status?: readonly LeadRow['status'][];
  /** Null: leads without a seller. */
  readonly seller_id?: string | null;
  /** Only leads of this seller, and those without a seller. */
  readonly visible_to?: string;
  /** The leads with these ids, in lower case; at least one. */
  readonly id?: readonly string[];
  readonly customer_phone?: string;
  readonly channel_user_id?: string;
  readonly external_id?: string;
  /** In lower case. */
  readonly email?: string;
  /** Leads with one of these; at least one. */
  readonly tag?: readonly string[];
  readonly search?: LeadSearch;
  readonly opted_out?: boolean;
  /** This bound and the next two are exclusive. */
  readonly created_after?: Date;
  readonly updated_after?: Date;
  readonly updated_before?: Date;
};

/** Ties break by id, in the same direction. */
export type LeadOrder = { readonly by: 'created_at' | 'updated_at'; readonly descending: boolean };

export function filtersOf(query: RequestOf<typeof listLeads>['query'], visible_to?: string): LeadFilters {
  const { status, seller_id, id, customer_phone, channel_user_id, external_id, email, tag, q, opted_out } = query;
  const { created_after, updated_after } = query;
  const statuses = valuesOf(status) as Set<LeadRow['status']>;
  return {
    ...(statuses.size > 0 && statuses.size < leadStatuses.length ? { status: [...statuses] } : {}),
    ...(seller_id ? { seller_id: seller_id === noSeller ? null : seller_id.toLowerCase() } : {}),
    ...(visible_to ? { visible_to } : {}),
    ...(id ? { id: [...valuesOf(id.toLowerCase())] } : {}),
    ...(customer_phone ? { customer_phone } : {}),
    ...(channel_user_id ? { channel_user_id } : {}),
    ...(external_id ? { external_id } : {}),
    ...(email ? { email: emailKey(email) } : {}),
    ...(tag ? { tag: [...valuesOf(tag)] } : {}),
    ...(q ? { search: readSearch(q) } : {}),
    ...(opted_out === undefined ? {} : { opted_out }),
    ...(created_after ? { created_after: toInstant(created_after) } : {}),
    ...(updated_after ? { updated_after: toInstant(updated_after) } : {}),
  };
}

/**
 * The rows of the list whose total is what these filters show, before `updated_before` and `opted_out: false` leave some
 * out. Undefined when a filter asks for more than a status and a seller.
 */
export function rowsOf(filters: LeadFilters): ListRows<'leads'> | undefined {
  const { status, seller_id, visible_to, opted_out, updated_before: _, ...others } = filters;
  if (opted_out || Object.keys(others).length > 0) return undefined;
  const visible = visible_to === undefined ? undefined : [visible_to, null];
  const asked = seller_id === undefined ? undefined : [seller_id];
  const owners = visible && asked ? asked.filter((one) => visible.includes(one)) : (asked ?? visible);
  return { list: 'leads', ...(status ? { statuses: status } : {}), ...(owners ? { owners } : {}) };
}

/** What a cursor is bound to. */
export function bindingOf(filters: LeadFilters, sort: LeadSort): object {
  // JSON turns each `Date`, which has no members, into a text.
  return JSON.parse(JSON.stringify({ ...filters, sort }));
}

export function orderOf(sort: LeadSort): LeadOrder {
  return { by: sort.endsWith('created_at') ? 'created_at' : 'updated_at', descending: sort.startsWith('-') };
}

/**
 * The filters that a page after this moment still needs. With two lower bounds on one column, PostgreSQL would begin at
 * the first and read on to the second.
 */
export function filtersBeyond(filters: LeadFilters, order: LeadOrder, at: Date): LeadFilters {
  const { created_after, updated_after, ...others } = filters;
  const passed = (bound: Date | undefined, column: LeadOrder['by']) =>
    bound !== undefined && !order.descending && order.by === column && bound <= at;
  return {
    ...others,
    ...(created_after && !passed(created_after, 'created_at') ? { created_after } : {}),
    ...(updated_after && !passed(updated_after, 'updated_at') ? { updated_after } : {}),
  };
}

/** Up to this many rows, sorting them is faster than finding them among all others in the order of the list. */
const mostGathered = 1000;

/** Whether the total decides how a page of these filters is read. */
export const needsTotal = (filters: LeadFilters, order: LeadOrder): boolean =>
  filters.search !== undefined || isScattered(filters, order);

/**
 * Whether to fetch all matching rows and sort them. Status, seller and `opted_out: true` have an index in each order, and a
 * page is read from it directly. The rows of two of these, of several ids, of an email address, of a tag, of a search, or of a filter on
 * the other timestamp than the sort's, are scattered in that order. If they are few, they may be far apart; if they are
 * many, a page of them is near. Those that a search has found through its index cost less to fetch than to compare with
 * the others.
 */
export function isGathered(filters: LeadFilters, order: LeadOrder, total: number, isBroad: boolean): boolean {
  // A total of `mostCountedLeads` means that many or more.
  if (filters.search) return !isBroad || total < mostCountedLeads;
  return isScattered(filters, order) && total <= mostGathered;
}

function isScattered(
  { status, seller_id, opted_out, id, email, tag, ...others }: LeadFilters,
  order: LeadOrder,
): boolean {
  const otherMoment = order.by === 'created_at' ? others.updated_after : others.created_after;
  return (
    otherMoment !== undefined ||
    [status !== undefined, seller_id !== undefined, opted_out === true].filter(Boolean).length > 1 ||
    id !== undefined ||
    email !== undefined ||
    tag !== undefined
  );
}

/** Whether a page is read from one index in its order, whatever the values of the filters are. */
export function hasIndex(filters: LeadFilters, order: LeadOrder): boolean {
  const { status = [], visible_to, id, customer_phone, channel_user_id, external_id, search } = filters;
  const others = [visible_to, id, customer_phone, channel_user_id, external_id, search];
  return status.length <= 1 && others.every((filter) => filter === undefined) && !isScattered(filters, order);
}

/** Whether nothing but the search filters. `updated_before` only leaves out what may be uncommitted. */
export const isSearchAlone = ({ search, updated_before: _, ...others }: LeadFilters): boolean =>
  search !== undefined && Object.keys(others).length === 0;
