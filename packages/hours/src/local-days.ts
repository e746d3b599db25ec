import { Temporal } from 'temporal-polyfill';

export const minuteMs = 60_000;
export const dayMs = 24 * 60 * minuteMs;

/** A time from `start` to before `end`, in epoch ms. */
export type Span = { readonly start: number; readonly end: number };

/** A part of a local day, in minutes after midnight: from `from` to before `to`. */
export type DayPart = { readonly from: number; readonly to: number };

/** A local day: midnight by the clock, as if it were UTC, in epoch ms. */
type LocalDay = number;

/** The parts of a day that are open, in order, without overlaps. */
export type HoursOfDay = (day: LocalDay) => readonly DayPart[];

/** 1 is Monday, 7 is Sunday. */
export const weekdayOf = (day: LocalDay): number => new Date(day).getUTCDay() || 7;

/** Such as `2027-12-25`. */
export const dateOf = (day: LocalDay): string => new Date(day).toISOString().slice(0, 10);

/** Minutes after midnight of `HH:MM`, also of `24:00`. */
export function minutesOf(time: string): number {
  if (time === '24:00') return 24 * 60;
  const { hour, minute } = Temporal.PlainTime.from(time);
  return hour * 60 + minute;
}

/** The parts in order. Parts that touch or overlap are one. */
export function joinParts(parts: readonly DayPart[]): DayPart[] {
  const joined: DayPart[] = [];
  for (const part of parts.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (!last || part.from > last.to) joined.push(part);
    else if (part.to > last.to) joined[joined.length - 1] = { from: last.from, to: part.to };
  }
  return joined;
}

/** The times that are in one of `a` and in one of `b`. */
export function intersectParts(a: readonly DayPart[], b: readonly DayPart[]): DayPart[] {
  return joinParts(
    a.flatMap((one) =>
      b.flatMap((other) => {
        const [from, to] = [Math.max(one.from, other.from), Math.min(one.to, other.to)];
        return from < to ? [{ from, to }] : [];
      }),
    ),
  );
}

/** A part of a local day in which the clock does not change. `local = instant + offset`, all in ms. */
type DaySegment = Span & { readonly day: LocalDay; readonly offset: number };

/**
 * The local days of a zone from one instant to another, cut at each clock change and at both ends. A local time that a
 * change skips is in no segment, and one that it repeats is in two.
 */
export function* daySegments(zone: string, from: number, until: number): Generator<DaySegment> {
  let now = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone);
  while (now.epochMilliseconds < until) {
    const offset = now.offsetNanoseconds / 1_000_000;
    const change = now.getTimeZoneTransition('next');
    const end = Math.min(change?.epochMilliseconds ?? until, until);
    for (let start = now.epochMilliseconds; start < end; ) {
      const day = Math.floor((start + offset) / dayMs) * dayMs;
      const dayEnd = Math.min(day + dayMs - offset, end);
      yield { start, end: dayEnd, day, offset };
      start = dayEnd;
    }
    if (!change) return;
    now = change;
  }
}
