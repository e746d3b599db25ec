import type { FeedEntry } from '@mostrador/contracts';

/** The end of a feed: its newest event. */
export type FeedEnd = {
  readonly store_id: string;
  readonly last_sequence: number;
  readonly last_appended_at: Date;
};

export type NumberedEntry = FeedEntry & { readonly sequence: number; readonly appended_at: Date };

/**
 * Gives each new entry the next number of its feed, in the given order. `known` are ids that the feeds have. The time of
 * a feed never goes back, whatever the clock does, so a day's partition is a stretch of each feed without gaps.
 *
 * @returns the new events, and the new ends of the feeds that have grown
 */
export function numberEntries(
  entries: readonly FeedEntry[],
  { feeds, known, at }: { feeds: readonly FeedEnd[]; known: readonly string[]; at: Date },
): { events: NumberedEntry[]; feeds: FeedEnd[] } {
  const ends = new Map(feeds.map((feed) => [feed.store_id, feed]));
  const grown = new Map<string, FeedEnd>();
  const seen = new Set(known);
  const events: NumberedEntry[] = [];
  for (const entry of entries) {
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    const { store_id } = entry;
    const end = grown.get(store_id) ?? ends.get(store_id);
    if (end === undefined) throw new Error(`the feed ${store_id} is not locked`);
    const sequence = end.last_sequence + 1;
    const appended_at = at > end.last_appended_at ? at : end.last_appended_at;
    events.push({ ...entry, sequence, appended_at });
    grown.set(store_id, { store_id, last_sequence: sequence, last_appended_at: appended_at });
  }
  return { events, feeds: [...grown.values()] };
}
