import type { Lead } from '../api/platform.ts';

/** What a person edits of a lead. */
export type Draft = Pick<Lead, 'name' | 'customer_phone' | 'status' | 'seller_id' | 'email' | 'external_id' | 'tags'>;
export type Member = keyof Draft;
/** A phone is never taken away. */
export type Change = Partial<Omit<Draft, 'customer_phone'>> & { readonly customer_phone?: string };

const members = [
  'name',
  'customer_phone',
  'status',
  'seller_id',
  'email',
  'external_id',
  'tags',
] as const satisfies readonly Member[];

/** Tags as they are written, with commas between them. Empty ones are left out, and those that differ only in case. */
export const readTags = (text: string): string[] => {
  const tags = new Map<string, string>();
  for (const tag of text.split(',').map((one) => one.trim())) {
    const key = tag.toLowerCase();
    if (tag !== '' && !tags.has(key)) tags.set(key, tag);
  }
  return [...tags.values()];
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The members that differ from the lead. */
export function changeOf(lead: Draft, draft: Draft): Change {
  return Object.fromEntries(
    members.filter((member) => !isSame(lead[member], draft[member])).map((member) => [member, draft[member]]),
  );
}

/** What the person has changed and somebody else has changed too, since `base` was read, to another value. */
export function conflictsOf(base: Draft, theirs: Draft, mine: Change): Member[] {
  return members.filter(
    (member) => member in mine && !isSame(base[member], theirs[member]) && !isSame(mine[member], theirs[member]),
  );
}

/** What is left to save on top of their version: without what is as they have it, and without what they shall keep. */
export function resolved(theirs: Draft, mine: Change, takeTheirs: ReadonlySet<Member>): Change {
  return Object.fromEntries(
    members
      .filter((member) => member in mine && !takeTheirs.has(member) && !isSame(mine[member], theirs[member]))
      .map((member) => [member, mine[member]]),
  );
}
