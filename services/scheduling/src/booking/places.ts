import type { Span } from '@mostrador/hours/local-days';

/** A place that is taken for a time, with its buffers. `place` is what the exclusion constraint compares. */
export type Taken = Span & {
  readonly id: string;
  readonly place: string;
  /** Null: a place of the store, which are all alike. */
  readonly seller_id: string | null;
};

/** What wants a place. Null: any place of the store. */
export type Wanted = Span & { readonly seller_id: string | null };

export const overlaps = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

/** The store's place with this number, from 1. */
export const placeNumber = (number: number): string => `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`;

/** The store's first place that nothing of these takes in the span. */
export function firstFreePlace(taken: readonly Taken[], span: Span): string {
  const used = new Set(taken.filter((each) => overlaps(each, span)).map(({ place }) => place));
  for (let number = 1; ; number += 1) {
    const place = placeNumber(number);
    if (!used.has(place)) return place;
  }
}

/** The most of these that run at one moment of the span. */
export function mostAtOnce(taken: readonly Span[], span: Span): number {
  const edges = taken
    .filter((each) => overlaps(each, span))
    .flatMap(({ start, end }) => [
      { at: Math.max(start, span.start), change: 1 },
      { at: Math.min(end, span.end), change: -1 },
    ])
    // What ends makes room for what begins at the same moment.
    .toSorted((a, b) => a.at - b.at || a.change - b.change);
  let running = 0;
  let most = 0;
  for (const { change } of edges) {
    running += change;
    most = Math.max(most, running);
  }
  return most;
}

/** Whether the wanted place is free: that of the seller, or one of the store's at every moment of the span. */
export function isFree(taken: readonly Taken[], wanted: Wanted, capacity: number): boolean {
  const rivals = taken.filter(({ seller_id }) => seller_id === wanted.seller_id);
  return mostAtOnce(rivals, wanted) < (wanted.seller_id === null ? capacity : 1);
}

/** Another place for what is taken, and until when such changes reach. */
type Room = { readonly place: string; readonly moved: ReadonlyMap<string, string>; readonly end: number };

/**
 * Finds a number for a span, and other numbers for what begins later and needs one then. Whatever keeps its number stays, so
 * the changes end where no changed booking runs any more. There is room wherever fewer than `capacity` run: then a number is
 * free at each start. `rivals`: the store’s places from the start of the span to the end of the changes.
 */
export function makeRoom(span: Span, rivals: readonly Taken[]): Room {
  let running = rivals.filter(({ start, end }) => start <= span.start && span.start < end);
  const place = firstFreePlace(running, span);
  running.push({ ...span, id: '', seller_id: null, place });
  const moved = new Map<string, string>();
  let { end } = span;
  for (const next of rivals.filter(({ start }) => start > span.start).toSorted((a, b) => a.start - b.start)) {
    if (next.start >= end) break;
    running = running.filter((each) => each.end > next.start);
    if (running.some((each) => each.place === next.place)) {
      const other = firstFreePlace(running, next);
      moved.set(next.id, other);
      end = Math.max(end, next.end);
      running.push({ ...next, place: other });
    } else running.push(next);
  }
  return { place, moved, end };
}
