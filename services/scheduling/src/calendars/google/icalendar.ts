import ICAL from 'ical.js';
import { Temporal } from 'temporal-polyfill';
import { uidOf } from '../calendar-event.ts';
import { type GoogleEvent, type GoogleTime, isIdOf } from './event.ts';

/**
 * The times of an event, or of a series with its exceptions, as an iCalendar object: so it is read as the objects of other
 * calendars are. It has neither titles nor people. Empty: the event has no time that can be read.
 */
export function toICalendar(event: GoogleEvent, exceptions: readonly GoogleEvent[] = []): string {
  try {
    const calendar = new ICAL.Component('vcalendar');
    const { id = '', recurrence = [], start } = event;
    const { mostrador_appointment: appointment, mostrador_store, mostrador_time } = markIn(event);
    // A copy that a person makes may keep the mark, but gets an id of its own.
    const isOurs = appointment !== undefined && isIdOf(id, uidOf(appointment));
    const uid = isOurs ? uidOf(appointment) : id;
    const zone = recurrence.length > 0 ? (start?.timeZone ?? 'UTC') : null;
    const main = addEvent(calendar, uid, event, zone);
    if (isOurs && mostrador_store !== undefined) main.addPropertyWithValue('x-mostrador-store', mostrador_store);
    if (isOurs && mostrador_time !== undefined) main.addPropertyWithValue('x-mostrador-time', mostrador_time);
    for (const line of recurrence) {
      if (/^(?:RRULE|RDATE|EXDATE)[;:]/.test(line)) main.addProperty(ICAL.Property.fromString(line));
    }
    for (const exception of exceptions) {
      // Of a cancelled one Google names no times.
      const { originalStartTime: original, start = original, end = original } = exception;
      const component = addEvent(calendar, uid, { ...exception, start, end }, null);
      addTime(component, 'recurrence-id', original, zone);
    }
    return calendar.toString();
  } catch {
    return '';
  }
}

const markIn = (event: GoogleEvent) => event.extendedProperties?.private ?? {};

function addEvent(
  calendar: ICAL.Component,
  uid: string,
  { status, transparency, attendees, start, end }: GoogleEvent,
  zone: string | null,
): ICAL.Component {
  const component = new ICAL.Component('vevent');
  component.addPropertyWithValue('uid', uid);
  addTime(component, 'dtstart', start, zone);
  // Only the length counts, and an instant says it also in an hour that comes twice.
  addTime(component, 'dtend', end, null);
  // What the account has declined does not make it busy.
  const isDeclined = attendees?.some((each) => each.self === true && each.responseStatus === 'declined');
  if (transparency === 'transparent' || isDeclined) component.addPropertyWithValue('transp', 'TRANSPARENT');
  if (status === 'cancelled') component.addPropertyWithValue('status', 'CANCELLED');
  calendar.addSubcomponent(component);
  return component;
}

/** A day, or an instant: as the local time of the zone, if there is one, because a series keeps its local time. */
function addTime(component: ICAL.Component, name: string, time: GoogleTime | undefined, zone: string | null): void {
  if (time?.date !== undefined) {
    component.addPropertyWithValue(name, ICAL.Time.fromDateString(time.date));
    return;
  }
  const instant = Temporal.Instant.from(time?.dateTime ?? '');
  const local = instant.toZonedDateTimeISO(zone ?? 'UTC').toPlainDateTime();
  const text = local.toString({ smallestUnit: 'second' });
  const property = component.addPropertyWithValue(
    name,
    ICAL.Time.fromDateTimeString(zone === null ? `${text}Z` : text),
  );
  if (zone !== null) property.setParameter('tzid', zone);
}
