import { dayMs, minuteMs, type Span } from '@mostrador/hours/local-days';
import ICAL from 'ical.js';
import type { EventTime } from './calendar-provider.ts';
import { seriesTimes, timeOf, tzidOf } from './calendar-series.ts';
import { isUtc, zonesOf } from './calendar-zones.ts';
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
    const zoneOf = zonesOf(calendar, reading.zone);
    const isSeries = main.hasProperty('rrule') || main.hasProperty('rdate');
    const { times, isWhole } = isSeries
      ? seriesTimes(main, overrides, reading.window, zoneOf)
      : { times: events.map((component) => timeOf(component, zoneOf)), isWhole: true };
    const taking = times
      .filter(({ start, end }) => end > start && end > reading.window.start)
      .filter(({ component }) => takesTime(component) && !isDeclined(component, reading.account));
    const within = taking.filter(({ start }) => start < reading.window.end).toSorted((a, b) => a.start - b.start);
    const busy = within.slice(0, mostBusyTimes).map(({ start, end }) => ({ start, end }));
    const first = timeOf(main, zoneOf);
    return {
      uid,
      storeId: main.getFirstPropertyValue('x-mostrador-store')?.toString() ?? null,
      busy,
      repeats: isSeries ? busy.filter(({ start }) => start !== first.start) : [],
      // What begins after the window is not kept yet.
      followsClock: !isWhole || busy.length < taking.length || events.some(isLocal),
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
const isTimed = (component: ICAL.Component): boolean => startOf(component)?.isDate === false;
/** RFC 5545 3.8.7.3: it is in UTC. */
const changedAtOf = (component: ICAL.Component): number | null => {
  const changed = component.getFirstPropertyValue('last-modified');
  return changed instanceof ICAL.Time && isUtc(changed) ? changed.toJSDate().getTime() : null;
};
const isLocal = (component: ICAL.Component): boolean => {
  const start = startOf(component);
  return start !== null && (start.isDate || (tzidOf(component.getFirstProperty('dtstart')) === null && !isUtc(start)));
};

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
