import { dayMs, minuteMs } from '@mostrador/hours/local-days';
import ICAL from 'ical.js';
import { Temporal } from 'temporal-polyfill';

/** How local times become instants, in epoch ms, and back. */
export type Zone = {
  instantOf(local: ICAL.Time): number;
  localOf(instant: number): ICAL.Time;
};

/** The zone of a time with this TZID. */
export type ZoneOf = (time: ICAL.Time, tzid: string | null) => Zone;

/**
 * The zones of the times in a document: UTC, the IANA zone that they name, the document's own, or the store's. ical.js alone
 * takes the time of a zone that the document does not describe for one in UTC.
 */
export function zonesOf(calendar: ICAL.Component, storeZone: string): ZoneOf {
  const own = new Map(
    calendar.getAllSubcomponents('vtimezone').map((component) => {
      const timezone = new ICAL.Timezone(component);
      return [timezone.tzid, timezone];
    }),
  );
  return (time, tzid) => {
    if (isUtc(time)) return knownZone('UTC');
    if (tzid === null || time.isDate) return knownZone(storeZone);
    if (isKnown(tzid)) return knownZone(tzid);
    const timezone = own.get(tzid);
    return timezone ? describedZone(timezone) : knownZone(storeZone);
  };
}

export const isUtc = (time: ICAL.Time): boolean => time.zone === ICAL.Timezone.utcTimezone;

const knownZone = (name: string): Zone => ({
  instantOf: (local) => Temporal.PlainDateTime.from(fieldsOf(local)).toZonedDateTime(name).epochMilliseconds,
  localOf: (instant) =>
    fromUtc(instant + Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name).offsetNanoseconds / 1e6),
});

const describedZone = (timezone: ICAL.Timezone): Zone => ({
  instantOf: (local) => ICAL.Time.fromData({ ...fieldsOf(local), isDate: false }, timezone).toUnixTime() * 1000,
  localOf: (instant) => {
    const local = ICAL.Time.fromJSDate(new Date(instant), true).convertToZone(timezone);
    return ICAL.Time.fromData({ ...fieldsOf(local), isDate: false });
  },
});

const fieldsOf = ({ year, month, day, isDate, hour, minute, second }: ICAL.Time) => ({
  ...{ year, month, day },
  ...(isDate ? {} : { hour, minute, second: Math.min(second, 59) }),
});

function isKnown(tzid: string): boolean {
  try {
    Temporal.PlainDateTime.from('2000-01-01').toZonedDateTime(tzid);
    return true;
  } catch {
    return false;
  }
}

/** The local time as if it were UTC, in epoch ms: at most a day off. */
export const asUtc = ({ year, month, day, hour, minute, second }: ICAL.Time): number =>
  Date.UTC(year, month - 1, day, hour, minute, second);

/** The local time that `asUtc` gives. */
function fromUtc(ms: number): ICAL.Time {
  const time = ICAL.Time.fromJSDate(new Date(ms), true);
  return ICAL.Time.fromData({ ...fieldsOf(time), isDate: false });
}

/** The local time that is this much later on a clock that never changes. */
export function later(local: ICAL.Time, ms: number): ICAL.Time {
  const moved = fromUtc(asUtc(local) + ms);
  moved.isDate = local.isDate && ms % dayMs === 0;
  return moved;
}

/** RFC 5545 3.3.6, 3.8.5.3: days keep the local time, and the rest is exact. */
export type Length = { readonly days: number; readonly ms: number };

export const lengthOf = ({ weeks, days, hours, minutes, seconds, isNegative }: ICAL.Duration): Length => {
  const sign = isNegative ? -1 : 1;
  return { days: sign * (weeks * 7 + days), ms: sign * ((hours * 60 + minutes) * minuteMs + seconds * 1000) };
};

/** When something that begins at this instant, which is this local time, is over. */
export const endAfter = (start: number, local: ICAL.Time, { days, ms }: Length, zone: Zone): number =>
  (days === 0 ? start : zone.instantOf(later(local, days * dayMs))) + ms;
