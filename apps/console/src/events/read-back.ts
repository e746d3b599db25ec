import type { EventType, StoreEvent } from '../api/platform.ts';

export type FeedFilters = { readonly types: readonly EventType[] | undefined; readonly entity_id: string | undefined };

/** Reads the events after a number, the oldest first, as the API does. `next` is where it stopped. */
export type ReadForward = (
  after: number,
  limit: number,
) => Promise<{ readonly data: readonly StoreEvent[]; readonly next: number }>;

/** A part of the feed, the newest first: the events above `bottom` and up to `top` that the filters let through. */
export type FeedPart = { readonly rows: readonly StoreEvent[]; readonly top: number; readonly bottom: number };

const wanted = 50;
const perRequest = 200;
const widest = 10_000;
const mostRequests = 10;

/** Reads the feed backwards from `top`, until there are enough rows or the feed begins at `oldest`. */
export async function readBack(read: ReadForward, top: number, oldest: number, isFiltered: boolean): Promise<FeedPart> {
  let rows: StoreEvent[] = [];
  let bottom = top;
  let width = isFiltered ? perRequest : wanted;
  for (let requests = 0; rows.length < wanted && bottom >= oldest && requests < mostRequests; ) {
    const from = Math.max(bottom - width, oldest - 1, 0);
    const found: StoreEvent[] = [];
    for (let at = from; at < bottom; requests += 1) {
      const { data, next } = await read(at, perRequest);
      found.push(...data.filter(({ sequence }) => sequence <= bottom));
      if (next <= at) break;
      at = next;
    }
    rows = [...rows, ...found.reverse()];
    bottom = from;
    // Rare events lie far apart.
    width = Math.min(width * 4, widest);
  }
  return { rows, top, bottom };
}

/** Reads what came after `top`. */
export async function readOn(read: ReadForward, top: number): Promise<FeedPart> {
  const rows: StoreEvent[] = [];
  let at = top;
  for (let requests = 0; requests < mostRequests; requests += 1) {
    const { data, next } = await read(at, perRequest);
    rows.unshift(...data.toReversed());
    if (next <= at || data.length === 0) break;
    at = next;
  }
  return { rows, top: Math.max(at, top), bottom: top };
}
