import type { LeadStatus } from '../api/platform.ts';
import { isLeadStatus } from '../leads/words.ts';

export const switches = ['unread', 'unanswered', 'needs_attention', 'ai_paused'] as const;
export type Switch = (typeof switches)[number];

/** What the list of conversations shows. It stands in the address, so that it can be kept and shared. */
export type Filters = { readonly [Name in Switch]?: true } & {
  readonly status?: LeadStatus;
  /** The id of a seller, or `none`. */
  readonly seller_id?: string;
  readonly q?: string;
};

const isSeller = (value: unknown): value is string =>
  typeof value === 'string' && /^(none|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.test(value);

/** The filters of an address. What it has besides is left out. */
export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const { status, seller_id, q } = search;
  const text = typeof q === 'string' || typeof q === 'number' ? String(q).slice(0, 100) : '';
  return {
    ...Object.fromEntries(switches.filter((name) => search[name] === true).map((name) => [name, true] as const)),
    ...(isLeadStatus(status) && { status }),
    ...(isSeller(seller_id) && { seller_id }),
    ...(text && { q: text }),
  };
}

/** A search needs two letters or digits. Until then it finds everything. Of those who wait, the longest wait is first. */
export const queryOf = ({ q, ...filters }: Filters) => {
  const text = q?.trim() ?? '';
  const { status, ...rest } = filters;
  const isSearch = (text.match(/[\p{L}\p{N}]/gu) ?? []).length >= 2;
  const sort = rest.unanswered && ({ sort: 'waiting_since' } as const);
  return { ...rest, ...sort, ...(status && { status: [status] }), ...(isSearch && { q: text }) };
};
