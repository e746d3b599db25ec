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
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

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
  for (let now = from; now < until; ) {
    const { end: change, offset } = steadyTimeAt(zone, now);
    const end = Math.min(change, until);
    for (let start = now; start < end; ) {
      const day = Math.floor((start + offset) / dayMs) * dayMs;
      const dayEnd = Math.min(day + dayMs - offset, end);
      yield { start, end: dayEnd, day, offset };
      start = dayEnd;
    }
    now = end;
  }
}

/** A time in which the clock of a zone does not change. */
type SteadyTime = Span & { readonly offset: number };

/** By zone: those that were asked for, because Temporal takes long to find them. */
const steadyTimes = new Map<string, SteadyTime[]>();
const mostOfZone = 64;

function steadyTimeAt(zone: string, at: number): SteadyTime {
  const known = steadyTimes.get(zone) ?? [];
  const found = known.find(({ start, end }) => start <= at && at < end);
  if (found) return found;
  const now = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  const next = now.getTimeZoneTransition('next');
  // A change at this very moment is the previous one.
  const previous = now.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
  const steady = {
    start: previous?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    end: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: now.offsetNanoseconds / 1_000_000,
  };
  steadyTimes.set(zone, [steady, ...known.slice(0, mostOfZone - 1)]);
  return steady;
}
