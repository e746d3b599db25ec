import { daySegments, type HoursOfDay, minuteMs, type Span } from './local-days.ts';

/**
 * When it is open from one instant to another, in order. Spans that touch are one, also across midnight. An instant is
 * inside when its local time is: an opening in a skipped hour begins after it, and both passes of a repeated hour are
 * inside.
 */
export function* openSpans(hours: HoursOfDay, zone: string, from: number, until: number): Generator<Span> {
  let held: Span | undefined;
  for (const { start, end, day, offset } of daySegments(zone, from, until)) {
    for (const part of hours(day)) {
      const opens = Math.max(day + part.from * minuteMs - offset, start);
      const closes = Math.min(day + part.to * minuteMs - offset, end);
      if (opens >= closes) continue;
      if (held && opens === held.end) held = { start: held.start, end: closes };
      else {
        if (held) yield held;
        held = { start: opens, end: closes };
      }
    }
  }
  if (held) yield held;
}

/** Whether it is open at an instant. */
export const isOpenAt = (hours: HoursOfDay, zone: string, at: number): boolean =>
  !openSpans(hours, zone, at, at + 1).next().done;
