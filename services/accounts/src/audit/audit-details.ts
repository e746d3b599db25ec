import type { AuditDetails } from '@mostrador/contracts';

/** What is stored: what people asked, in the form of the request. */
export type StoredDetails = Omit<AuditDetails, 'count' | 'reason' | 'older_than'> & {
  readonly ids?: readonly string[];
  readonly filter?: Pick<AuditDetails, 'reason' | 'older_than'>;
};

/** Hundreds of ids in each entry of a page do not fit into one message, so they are counted. */
export function toAuditDetails(stored: StoredDetails | null): AuditDetails | null {
  if (stored === null) return null;
  const { ids, filter, ...rest } = stored;
  return { ...rest, ...filter, ...(ids && { count: ids.length }) };
}

/** Which members a change gives, without what they say. */
export const changedMembers = (changes: object) => ({
  changed: Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name])),
});
