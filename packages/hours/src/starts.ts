import { dayMs, daySegments, type HoursOfDay, minuteMs } from './local-days.ts';

/**
 * The instants from `from` to before `until` that are a multiple of the step after an opening, by the local clock. A local
 * time that a clock change skips is none. One that it repeats is one, at its first pass.
 */
export function* startsOf(
  hours: HoursOfDay,
  zone: string,
  stepMinutes: number,
  { from, until }: { readonly from: number; readonly until: number },
): Generator<number> {
  // The latest local time so far: what is before it is repeated. From a day earlier on, because `from` may be in a second pass.
  let latest = Number.NEGATIVE_INFINITY;
  for (const { start, end, day, offset } of daySegments(zone, from - dayMs, until)) {
    const first = Math.max(start, from);
    if (end > first) {
      for (const part of hours(day)) {
        // Skips the steps before the segment.
        const before = Math.ceil(((Math.max(first + offset, latest) - day) / minuteMs - part.from) / stepMinutes);
        for (let step = Math.max(0, before); ; step += 1) {
          const minutes = part.from + step * stepMinutes;
          const instant = day + minutes * minuteMs - offset;
          if (minutes >= part.to || instant >= end) break;
          yield instant;
        }
      }
    }
    latest = Math.max(latest, end + offset);
  }
}
