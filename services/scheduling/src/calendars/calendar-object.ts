import { dayMs, minuteMs, type Span } from '@mostrador/hours/local-days';
import ICAL from 'ical.js';
import { Temporal } from 'temporal-polyfill';
import type { EventTime } from './calendar-provider.ts';
import { type MovedTime, timeMarkOf } from './event-mark.ts';

/** What is read of an object of a calendar: times, and whose event it is. Neither titles nor people. */
export type CalendarObject = {
  readonly uid: string;
  /** The store in our mark, if it has one. */
  readonly storeId: string | null;
  /** When its events take time, in order. */
  readonly busy: readonly Span[];
  /** `busy` without the event itself: the further occurrences of a series. */
  readonly repeats: readonly Span[];
  /** Another day, or another zone of the store, gives other busy times. */
  readonly followsClock: boolean;
  /** Nothing of it is later, in epoch ms. Null: not known, or without an end. */
  readonly endsAt: number | null;
  readonly first: FirstEvent;
};

/** The event itself, or the first of its series. */
type FirstEvent = EventTime & {
  readonly isCancelled: boolean;
  /** The time in our mark, as `timeMarkOf` wrote it. */
  readonly timeMark: string | null;
  /** When it was changed last, in epoch ms. Null: it does not say. */
  readonly changedAt: number | null;
};

type Reading = {
  /** Busy times outside are left out. */
  readonly window: Span;
  /** The zone of the store, for times that name none. */
  readonly zone: string;
  /** The email address by which an event names the owner of the calendar. Default: not known. */
  readonly account?: string | undefined;
};

/** Bounds the time of a walk through a series: about 50 µs for each occurrence. */
const mostSteps = 5_000;
const mostBusyTimes = 2_000;

/** Reads an iCalendar object (RFC 5545, RFC 4791 4.1). Null: it has no event that can be read. */
export function readCalendarObject(icalendar: string, reading: Reading): CalendarObject | null {
  try {
    const calendar = new ICAL.Component(ICAL.parse(icalendar));
    const events = calendar.getAllSubcomponents('vevent');
    const overrides = events.filter((event) => event.hasProperty('recurrence-id'));
    const main = events.find((event) => !event.hasProperty('recurrence-id')) ?? events[0];
    const uid = main?.getFirstPropertyValue('uid');
    if (!main || typeof uid !== 'string') return null;
    const toInstant = instants(calendar, reading.zone);
    const isSeries = main.hasProperty('rrule') || main.hasProperty('rdate');
    const { times, isWhole } = isSeries
      ? seriesTimes(main, overrides, reading.window, toInstant)
      : { times: events.map((component) => timeOf(component, toInstant)), isWhole: true };
    const busy = times
      .filter(({ start, end }) => end > start && start < reading.window.end && end > reading.window.start)
      .filter(({ component }) => takesTime(component) && !isDeclined(component, reading.account))
      .map(({ start, end }) => ({ start, end }))
      .toSorted((a, b) => a.start - b.start);
    const first = timeOf(main, toInstant);
    return {
      uid,
      storeId: main.getFirstPropertyValue('x-mostrador-store')?.toString() ?? null,
      busy,
      repeats: isSeries ? busy.filter(({ start }) => start !== first.start) : [],
      followsClock: !isWhole || events.some(isLocal),
      endsAt: isWhole ? Math.max(...times.map(({ end }) => end), first.end) : null,
      first: {
        start: isTimed(main) ? first.start : null,
        durationMinutes: Math.round((first.end - first.start) / minuteMs),
        isCancelled: isCancelled(main),
        timeMark: main.getFirstPropertyValue('x-mostrador-time')?.toString() ?? null,
        changedAt: changedAtOf(main),
      },
    };
  } catch {
    return null;
  }
}

type Time = Span & { readonly component: ICAL.Component };
type ToInstant = (time: ICAL.Time, tzid: string | null) => number;

const textOf = (component: ICAL.Component, name: string): string =>
  String(component.getFirstPropertyValue(name) ?? '').toUpperCase();
const isCancelled = (component: ICAL.Component): boolean => textOf(component, 'status') === 'CANCELLED';
const takesTime = (component: ICAL.Component): boolean =>
  !isCancelled(component) && textOf(component, 'transp') !== 'TRANSPARENT';

/** Whether the account is a guest who has declined. Some programs name a guest by another URI, and add the address. */
const isDeclined = (component: ICAL.Component, account: string | undefined): boolean =>
  account !== undefined &&
  component.getAllProperties('attendee').some((guest) => {
    const [answer, email] = ['partstat', 'email'].map((name) => String(guest.getParameter(name) ?? '').toLowerCase());
    const address = String(guest.getFirstValue())
      .toLowerCase()
      .replace(/^mailto:/, '');
    return answer === 'declined' && [address, email].includes(account.toLowerCase());
  });

const startOf = (component: ICAL.Component): ICAL.Time | null => {
  const start = component.getFirstPropertyValue('dtstart');
  return start instanceof ICAL.Time ? start : null;
};
const zoneOf = (component: ICAL.Component): string | null => {
  const tzid = component.getFirstProperty('dtstart')?.getParameter('tzid');
  return typeof tzid === 'string' ? tzid : null;
};
const isTimed = (component: ICAL.Component): boolean => startOf(component)?.isDate === false;
const isUtc = (time: ICAL.Time): boolean => time.zone === ICAL.Timezone.utcTimezone;
/** RFC 5545 3.8.7.3: it is in UTC. */
const changedAtOf = (component: ICAL.Component): number | null => {
  const changed = component.getFirstPropertyValue('last-modified');
  return changed instanceof ICAL.Time && isUtc(changed) ? changed.toJSDate().getTime() : null;
};
const isLocal = (component: ICAL.Component): boolean => {
  const start = startOf(component);
  return start !== null && (start.isDate || (zoneOf(component) === null && !isUtc(start)));
};

function timeOf(component: ICAL.Component, toInstant: ToInstant): Time {
  const event = new ICAL.Event(component);
  const endZone = component.getFirstProperty('dtend')?.getParameter('tzid');
  return {
    component,
    start: toInstant(event.startDate, zoneOf(component)),
    end: toInstant(event.endDate, typeof endZone === 'string' ? endZone : zoneOf(component)),
  };
}

/**
 * The occurrences of a series that touch the window. Each has its local time, so that a series keeps it when the clock
 * changes. `isWhole`: it has no later ones.
 */
function seriesTimes(
  main: ICAL.Component,
  overrides: readonly ICAL.Component[],
  window: Span,
  toInstant: ToInstant,
): { times: Time[]; isWhole: boolean } {
  const series = new ICAL.Event(main, { exceptions: [...overrides] });
  const times: Time[] = [];
  const longOver = window.start - series.duration.toSeconds() * 1000 - 2 * dayMs;
  const occurrences = series.iterator(startNear(main, series.startDate, longOver));
  for (let step = 0; step < mostSteps && times.length < mostBusyTimes; step += 1) {
    const next = occurrences.next();
    if (!next) return { times, isWhole: true };
    // Most of an old series is over. An override may have moved an occurrence into the window.
    if (roughly(next) < longOver && !(next.toString() in series.exceptions)) continue;
    const { item, startDate, endDate } = series.getOccurrenceDetails(next);
    const { component } = item;
    const time = {
      component,
      start: toInstant(startDate, zoneOf(component)),
      end: toInstant(endDate, zoneOf(component)),
    };
    if (time.end > window.start) times.push(time);
    // An override may have moved an occurrence far ahead, so only the time in the series ends the walk.
    if (toInstant(next, zoneOf(main)) >= window.end) return { times, isWhole: false };
  }
  return { times, isWhole: false };
}

/** Where the walk begins: at the start, or for a rule of days or weeks, a whole number of its intervals later. */
function startNear(main: ICAL.Component, start: ICAL.Time, longOver: number): ICAL.Time {
  const rules = main.getAllProperties('rrule').map((property) => property.getFirstValue());
  const [rule] = rules;
  if (rules.length !== 1 || !(rule instanceof ICAL.Recur) || rule.count) return start;
  const days = rule.interval * ({ DAILY: 1, WEEKLY: 7 }[rule.freq as string] ?? Number.NaN);
  const skipped = Math.floor((longOver - roughly(start)) / dayMs / days) * days;
  if (!(skipped > 0)) return start;
  const near = start.clone();
  near.adjust(skipped, 0, 0, 0);
  return near;
}

/** The local time as if it were UTC, in epoch ms: at most a day off. */
const roughly = ({ year, month, day, hour, minute }: ICAL.Time): number => Date.UTC(year, month - 1, day, hour, minute);

/** How the times of a document become instants: by the IANA zone that they name, by the document's own, or by the store's. */
function instants(calendar: ICAL.Component, zone: string): ToInstant {
  const own = new Map(
    calendar.getAllSubcomponents('vtimezone').map((component) => {
      const timezone = new ICAL.Timezone(component);
      return [timezone.tzid, timezone];
    }),
  );
  return (time, tzid) => {
    const local = {
      ...{ year: time.year, month: time.month, day: time.day },
      ...(time.isDate ? {} : { hour: time.hour, minute: time.minute, second: Math.min(time.second, 59) }),
    };
    const plain = Temporal.PlainDateTime.from(local);
    if (isUtc(time)) return plain.toZonedDateTime('UTC').epochMilliseconds;
    if (tzid === null || time.isDate) return plain.toZonedDateTime(zone).epochMilliseconds;
    if (isKnown(tzid)) return plain.toZonedDateTime(tzid).epochMilliseconds;
    const timezone = own.get(tzid);
    if (!timezone) return plain.toZonedDateTime(zone).epochMilliseconds;
    return ICAL.Time.fromData({ ...local, isDate: false }, timezone).toUnixTime() * 1000;
  };
}

function isKnown(tzid: string): boolean {
  try {
    Temporal.PlainDateTime.from('2000-01-01').toZonedDateTime(tzid);
    return true;
  } catch {
    return false;
  }
}

/** Where a person moved the event of an appointment since it was written. Null: nowhere, or its mark does not say it. */
export function movedTimeIn(icalendar: string): MovedTime | null {
  const first = readCalendarObject(icalendar, { window: { start: 0, end: 0 }, zone: 'UTC' })?.first;
  if (!first?.timeMark) return null;
  const { start, durationMinutes, timeMark, changedAt } = first;
  const isMoved = start === null || timeMarkOf(start, durationMinutes) !== timeMark;
  return isMoved ? { start, durationMinutes, timeMark, changedAt } : null;
}

/** The busy times that a reading keeps: from yesterday to the end of the longest horizon. */
export const windowAt = (now: number, horizonDays: number): Span => ({
  start: now - dayMs,
  end: now + (horizonDays + 2) * dayMs,
});
