import type { Span } from '@mostrador/hours/local-days';
import { wallTime } from '../ui/zone.ts';
import { addDays } from './calendar-search.ts';
import { partIn } from './spans.ts';

type Shown = {
  /** The time that the view shows. */
  readonly shown: Span;
  /** How many columns of people show it; 0: the days stand side by side. */
  readonly columnCount: number;
  readonly timeZone: string;
};

/**
 * The busy times as blocks on the clock of the store. The calendar does not say whose time it is, so each column of a
 * person, which is a day of the library, has a block.
 */
export const busyBlocks = (busy: readonly Span[], { shown, columnCount, timeZone }: Shown) =>
  busy.flatMap((span) => {
    const part = partIn(span, shown);
    if (!part) return [];
    const [start, end] = [wallTime(part.start, timeZone), wallTime(part.end, timeZone)];
    // A clock that goes back ends it before it begins.
    const later = end > start ? end : wallTime(Date.parse(`${start}Z`) + part.end - part.start, 'UTC');
    return Array.from({ length: Math.max(1, columnCount) }, (_, index) => ({
      start: movedBy(start, index),
      end: movedBy(later, index),
    }));
  });

const movedBy = (wall: string, days: number): string => `${addDays(wall.slice(0, 10), days)}${wall.slice(10)}:00Z`;
