/** The range of the events that a feed holds. */
export type Feed = { readonly last_sequence: number; readonly oldest_sequence: number };

/** Stands for the oldest event in `after`. */
const fromTheOldest = 0;
/** Stands for the newest event in `after`. */
const fromNowOn = -1;

/** The event after `after` is gone, or the feed never had `after`, as after a restore. */
export function isExpired({ last_sequence, oldest_sequence }: Feed, after: number): boolean {
  if (after === fromTheOldest || after === fromNowOn) return false;
  return after < oldest_sequence - 1 || after > last_sequence;
}

/** The sequence after which the page begins. */
export function startOf({ last_sequence, oldest_sequence }: Feed, after: number): number {
  if (after === fromNowOn) return last_sequence;
  return after === fromTheOldest ? oldest_sequence - 1 : after;
}

/**
 * The last event that a page has looked through. All events up to `last` were visible when it was read, and events may
 * have been appended since.
 */
export function lastLookedThrough(
  rows: readonly { readonly sequence: number }[],
  { limit, until, last }: { limit: number; until: number; last: number },
): number {
  const lastShown = rows.at(-1)?.sequence ?? 0;
  return rows.length === limit ? lastShown : Math.max(lastShown, Math.min(until, last));
}
