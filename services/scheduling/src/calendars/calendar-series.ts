import { dayMs, type Span } from '@mostrador/hours/local-days';
import ICAL from 'ical.js';
import { asUtc, endAfter, isUtc, type Length, later, lengthOf, type Zone, type ZoneOf } from './calendar-zones.ts';

/** When an event is, and which component says so. */
export type Time = Span & { readonly component: ICAL.Component };

/** Bounds the time of a walk through a series: about 50 µs for each occurrence. */
const mostSteps = 5_000;
const mostFound = 2_000;
/** The same for what is looked at and is no occurrence: about 10 µs for each. */
const mostLookedAt = 100_000;
const longestInterval = 100_000_000;

type Occurrence = {
  /** In epoch ms. */
  readonly at: number;
  /** In the zone of the series. */
  readonly local: ICAL.Time;
  /** Of an extra one that has an own length. */
  readonly length?: Length;
};

const paramOf = (property: ICAL.Property | null, name: string): string | null => {
  const value = property?.getParameter(name);
  return typeof value === 'string' ? value : null;
};
export const tzidOf = (property: ICAL.Property | null): string | null => paramOf(property, 'tzid');

/** @throws Error: the component has no such time. */
function timeIn(component: ICAL.Component, name: string, zoneOf: ZoneOf) {
  const time = component.getFirstPropertyValue(name);
  if (!(time instanceof ICAL.Time)) throw new Error(`an event without ${name}`);
  const zone = zoneOf(time, tzidOf(component.getFirstProperty(name)));
  return { time, zone, at: zone.instantOf(time) };
}

/** When the event of a component is, without its recurrence. */
export function timeOf(component: ICAL.Component, zoneOf: ZoneOf): Time {
  const { time, zone, at } = timeIn(component, 'dtstart', zoneOf);
  return { component, start: at, end: endAfter(at, time, lengthIn(component, zoneOf), zone) };
}

function lengthIn(component: ICAL.Component, zoneOf: ZoneOf): Length {
  const start = timeIn(component, 'dtstart', zoneOf);
  if (component.hasProperty('dtend')) {
    const end = timeIn(component, 'dtend', zoneOf);
    const isDays = start.time.isDate && end.time.isDate;
    return isDays
      ? { days: Math.round((asUtc(end.time) - asUtc(start.time)) / dayMs), ms: 0 }
      : { days: 0, ms: end.at - start.at };
  }
  const duration = component.getFirstPropertyValue('duration');
  if (duration instanceof ICAL.Duration) return lengthOf(duration);
  return { days: start.time.isDate ? 1 : 0, ms: 0 };
}

/**
 * The times of a series that may touch the window. Each has its local time, so that a series keeps it when the clock
 * changes. All that is compared is compared as instants, because a document may name one of them in several zones.
 * `isWhole`: it has no later ones.
 */
export function seriesTimes(
  main: ICAL.Component,
  overrides: readonly ICAL.Component[],
  window: Span,
  zoneOf: ZoneOf,
): { times: Time[]; isWhole: boolean } {
  const { time: start, zone, at } = timeIn(main, 'dtstart', zoneOf);
  const series: Series = { main, start, zone, zoneOf };
  const length = lengthIn(main, zoneOf);
  const isExcluded = namedBy(series, main.getAllProperties('exdate'));
  const isOverridden = namedBy(series, properties(overrides, 'recurrence-id'));
  const changes = changesOf(series, overrides);
  const reach = Math.max(
    ...changes.map(({ shift, length }) => Math.abs(shift) + totalOf(length)),
    totalOf(length),
    2 * dayMs,
  );
  const near = { start: window.start - 2 * dayMs - reach, end: window.end + reach };

  const { found, isWhole } = ruledIn(series, near);
  // RFC 5545 3.8.2.4: the start is the first occurrence, whatever the rule says.
  for (const occurrence of [{ at, local: start }, ...extraOf(series)]) found.set(occurrence.at, occurrence);
  const times = [...found.values()]
    .filter((occurrence) => !isExcluded(occurrence) && !isOverridden(occurrence))
    .map((occurrence): Time => {
      const change = changes.findLast((each) => each.at <= occurrence.at);
      const local = change ? later(occurrence.local, change.shift) : occurrence.local;
      const start = change ? zone.instantOf(local) : occurrence.at;
      const own = occurrence.length ?? change?.length ?? length;
      return { component: change?.component ?? main, start, end: endAfter(start, local, own, zone) };
    });
  const overriding = overrides
    .filter((override) => !isExcluded(occurrenceAt(series, override.getFirstProperty('recurrence-id'))))
    .map((override) => timeOf(override, zoneOf));
  return { times: [...times, ...overriding], isWhole };
}

type Series = {
  readonly main: ICAL.Component;
  readonly start: ICAL.Time;
  readonly zone: Zone;
  readonly zoneOf: ZoneOf;
};

const properties = (components: readonly ICAL.Component[], name: string): ICAL.Property[] =>
  components.flatMap((component) => component.getAllProperties(name));
const totalOf = ({ days, ms }: Length): number => Math.max(0, days * dayMs + ms);

/** The occurrences of the rules that are near the window. */
function ruledIn(series: Series, near: Span): { found: Map<number, Occurrence>; isWhole: boolean } {
  const { main, start, zone } = series;
  const found = new Map<number, Occurrence>();
  let isWhole = true;
  const left = { steps: mostSteps, looks: mostLookedAt, lastYear: new Date(near.end).getUTCFullYear() + 1 };
  for (const property of main.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof ICAL.Recur)) throw new Error('a rule that is none');
    const isAfterEnd = endOf(rule, series);
    for (const local of localTimes(looserOf(rule), startNear(rule, start, near.start), left)) {
      left.steps -= 1;
      if (!local || left.steps < 0 || found.size >= mostFound) {
        isWhole = false;
        break;
      }
      // Most of an old series is over.
      if (asUtc(local) < near.start) continue;
      const at = zone.instantOf(local);
      if (isAfterEnd({ at, local })) break;
      if (at >= near.end) {
        isWhole = false;
        break;
      }
      found.set(at, { at, local });
    }
  }
  return { found, isWhole };
}

type Left = { steps: number; looks: number; readonly lastYear: number };

/** The local times of a rule. Null, and then no more: the next one is too far ahead, or there is none. */
function* localTimes(rule: ICAL.Recur, start: ICAL.Time, left: Left): Generator<ICAL.Time | null> {
  try {
    const times = new BoundedIterator({ rule, dtstart: start, left });
    for (let next = nextOf(times); next; next = nextOf(times)) yield next.clone();
  } catch (error) {
    if (!(error instanceof TooFar)) throw error;
    yield null;
  }
}

/** Its type does not say that there may be none. */
const nextOf = (times: ICAL.RecurIterator): ICAL.Time | null => times.next();

class TooFar extends Error {}
type Bounded = { rule: ICAL.Recur; dtstart: ICAL.Time; left: Left };

/** ical.js looks for ever for an occurrence of some rules, such as each 30 February. */
class BoundedIterator extends ICAL.RecurIterator {
  // Without a value of its own, because the first look is made in the constructor of the class above.
  declare left: Left;

  constructor(options: Bounded) {
    super(options);
  }
  override fromData(options: Bounded): void {
    this.left = options.left;
    super.fromData(options);
  }
  look(): void {
    this.left.looks -= 1;
    if (this.left.looks < 0 || this.last.year > this.left.lastYear) throw new TooFar();
  }
  override increment_generic(by: number, unit: string, size: number, next: string): void {
    this.look();
    super.increment_generic(by, unit, size, next);
  }
  override increment_monthday(by: number): void {
    for (let day = 0; day < by; day += 1) {
      this.look();
      super.increment_monthday(1);
    }
  }
  override increment_month(): void {
    this.look();
    super.increment_month();
  }
  override increment_year(by: number): void {
    this.look();
    super.increment_year(by);
  }
}

/** Whether an occurrence is after the rule's UNTIL. That should be in UTC for times, and a day for days, and often is not. */
function endOf({ until }: ICAL.Recur, series: Series): (occurrence: Occurrence) => boolean {
  if (!until) return () => false;
  if (until.isDate || series.start.isDate) {
    const last = dayIn(series, until, null);
    return ({ local }) => dayOf(local) > last;
  }
  const last = isUtc(until) ? series.zoneOf(until, null).instantOf(until) : series.zone.instantOf(until);
  return ({ at }) => at > last;
}

/** The rule with a later UNTIL, because ical.js compares with the local time, and without an INTERVAL of many years. */
function looserOf(rule: ICAL.Recur): ICAL.Recur {
  const looser = rule.clone();
  if (rule.until) looser.until = later(rule.until, 2 * dayMs);
  looser.interval = Math.min(rule.interval, longestInterval);
  return looser;
}

/** Where the walk begins: at the start, or for a rule of days or weeks, a whole number of its intervals later. */
function startNear(rule: ICAL.Recur, start: ICAL.Time, from: number): ICAL.Time {
  // Without a zone, so that ical.js counts only local times.
  const first = later(start, 0);
  if (rule.count) return first;
  const days = rule.interval * ({ DAILY: 1, WEEKLY: 7 }[rule.freq as string] ?? Number.NaN);
  const skipped = Math.floor((from - asUtc(start)) / dayMs / days) * days;
  return skipped > 0 ? later(start, skipped * dayMs) : first;
}

/** The extra occurrences. A period has an own length. */
function extraOf(series: Series): Occurrence[] {
  const { main, start, zone, zoneOf } = series;
  return main.getAllProperties('rdate').flatMap((property) =>
    property.getValues().flatMap((value: unknown): Occurrence[] => {
      const tzid = tzidOf(property);
      if (value instanceof ICAL.Time) {
        if (!value.isDate) return [inSeries(series, zoneOf(value, tzid).instantOf(value))];
        // A day of a series of times has the series' time.
        const local = later(value, start.isDate ? 0 : asUtc(start) - asUtc(dateOf(start)));
        return [{ at: zone.instantOf(local), local }];
      }
      if (!(value instanceof ICAL.Period)) return [];
      const { start: from, end, duration } = value;
      const at = zoneOf(from, tzid).instantOf(from);
      const length = duration ? lengthOf(duration) : { days: 0, ms: zoneOf(end, tzid).instantOf(end) - at };
      return [{ ...inSeries(series, at), length }];
    }),
  );
}

const inSeries = ({ zone }: Series, at: number): Occurrence => ({ at, local: zone.localOf(at) });

function dateOf(local: ICAL.Time): ICAL.Time {
  const date = local.clone();
  date.isDate = true;
  return date;
}
const dayOf = ({ year, month, day }: ICAL.Time): number => (year * 100 + month) * 100 + day;

/** The day that a value names in the series. Midnight stands for the day itself, in any zone. */
function dayIn({ zone, zoneOf }: Series, value: ICAL.Time, tzid: string | null): number {
  const isDay = value.isDate || (value.hour === 0 && value.minute === 0 && value.second === 0);
  return dayOf(isDay ? value : zone.localOf(zoneOf(value, tzid).instantOf(value)));
}

/** Whether an occurrence is one of those that the properties name: by its instant, or by its day. */
function namedBy(series: Series, named: readonly ICAL.Property[]): (occurrence: Occurrence) => boolean {
  const instants = new Set<number>();
  const days = new Set<number>();
  for (const property of named) {
    for (const value of property.getValues() as unknown[]) {
      if (!(value instanceof ICAL.Time)) continue;
      const tzid = tzidOf(property);
      if (value.isDate || series.start.isDate) days.add(dayIn(series, value, tzid));
      else instants.add(series.zoneOf(value, tzid).instantOf(value));
    }
  }
  return ({ at, local }) => instants.has(at) || days.has(dayOf(local));
}

/** The occurrence that a RECURRENCE-ID names. */
function occurrenceAt(series: Series, property: ICAL.Property | null): Occurrence {
  const value = property?.getFirstValue();
  if (!(value instanceof ICAL.Time)) throw new Error('an override of nothing');
  const { start, zone } = series;
  if (!value.isDate && !start.isDate) return inSeries(series, series.zoneOf(value, tzidOf(property)).instantOf(value));
  const day = dayIn(series, value, tzidOf(property));
  const date = ICAL.Time.fromData({
    ...{ year: Math.floor(day / 10_000), month: Math.floor(day / 100) % 100, day: day % 100 },
    isDate: true,
  });
  const local = start.isDate ? date : later(date, asUtc(start) - asUtc(dateOf(start)));
  return { at: zone.instantOf(local), local };
}

type Change = {
  /** The first occurrence that it changes, in epoch ms. */
  readonly at: number;
  /** By how much occurrences are later, on a clock that never changes. */
  readonly shift: number;
  readonly length: Length;
  readonly component: ICAL.Component;
};

/** The overrides that hold for all later occurrences too, in order (RFC 5545 3.2.13). */
function changesOf(series: Series, overrides: readonly ICAL.Component[]): Change[] {
  return overrides
    .filter(
      (override) => paramOf(override.getFirstProperty('recurrence-id'), 'range')?.toUpperCase() === 'THISANDFUTURE',
    )
    .map((component): Change => {
      const { at, local } = occurrenceAt(series, component.getFirstProperty('recurrence-id'));
      const { start } = timeOf(component, series.zoneOf);
      const shift = asUtc(series.zone.localOf(start)) - asUtc(local);
      return { at, shift, length: lengthIn(component, series.zoneOf), component };
    })
    .toSorted((one, other) => one.at - other.at);
}
