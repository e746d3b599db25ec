import type { Span } from '@mostrador/hours/local-days';
import { dayIn } from '../ui/clock.ts';
import { endOf, type Timed } from '../ui/time.ts';
import { addDays } from './calendar-search.ts';

export const spanOf = (timed: Timed): Span => ({ start: Date.parse(timed.scheduled_at), end: endOf(timed) });

/** The part of a time that lies in another. */
export function partIn(span: Span, other: Span): Span | undefined {
  const [start, end] = [Math.max(span.start, other.start), Math.min(span.end, other.end)];
  return start < end ? { start, end } : undefined;
}

type Days = { readonly from: string; readonly to: string };

/** What lies on each of these days, in its order. What goes on over midnight lies on both days. */
export function byDay<Item>(
  items: readonly Item[],
  spanOfItem: (item: Item) => Span,
  { from, to }: Days,
  timeZone: string,
): Map<string, Item[]> {
  const dayOf = (at: number) => dayIn(at, timeZone);
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const { start, end } = spanOfItem(item);
    const [first, last] = [dayOf(start), dayOf(end - 1)];
    for (let day = first > from ? first : from; day <= last && day < to; day = addDays(day, 1)) {
      found.set(day, [...(found.get(day) ?? []), item]);
    }
  }
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b)));
}
