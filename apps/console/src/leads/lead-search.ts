import type { LeadSort, LeadStatus } from '../api/platform.ts';
import { leadStatuses } from './words.ts';

export const otherSorts = ['created_at', '-updated_at', 'updated_at'] as const satisfies readonly LeadSort[];
type OtherSort = (typeof otherSorts)[number];

/** What the address of the list keeps. Without a sort the newest lead is first. */
export type LeadSearch = {
  readonly q?: string | undefined;
  readonly status?: LeadStatus | undefined;
  /** The id of a seller, or `none`. */
  readonly seller?: string | undefined;
  /** One tag, or several with commas between them. */
  readonly tag?: string | undefined;
  readonly sort?: OtherSort | undefined;
};

const seller = /^(none|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** A number alone in the address, such as a phone, is parsed as one. */
const textOf = (value: unknown): string | undefined =>
  (typeof value === 'string' || typeof value === 'number') && String(value).trim() !== ''
    ? String(value).trim()
    : undefined;

const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value);

export const readLeadSearch = (search: Record<string, unknown>): LeadSearch => ({
  q: textOf(search.q)?.slice(0, 100),
  status: oneOf(leadStatuses, search.status),
  seller: seller.test(textOf(search.seller) ?? '') ? textOf(search.seller) : undefined,
  tag: textOf(search.tag)?.slice(0, 500),
  sort: oneOf(otherSorts, search.sort),
});

/** The filters as the API takes them. What is too short to be searched for is left out. */
export function queryOf({ q, status, seller: seller_id, tag, sort }: LeadSearch) {
  const tags = tag?.split(',').map((word) => word.trim());
  return {
    q: (q?.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2 ? q : undefined,
    status,
    seller_id,
    tag: tags?.filter(Boolean).join(',') || undefined,
    sort,
  };
}

export const isFiltered = ({ sort: _, ...filters }: LeadSearch): boolean =>
  Object.values(filters).some((value) => value !== undefined);
