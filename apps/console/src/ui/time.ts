import type { Appointment } from '../api/platform.ts';
import { getLocale } from '../paraglide/runtime.js';
import { dayIn, isSameClock, ownZone } from './clock.ts';

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `5 minutes ago`, `in 3 months`. Less than a minute is `now`. */
export function relativeTime(at: string, now: number, locale: string = getLocale()): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const [unit, size] = steps.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', Number.POSITIVE_INFINITY];
  return format.format(Math.trunc(seconds / size) || 0, unit);
}

/** When something is to come: what is late already comes now. */
export const comingTime = (at: string, now: number, locale?: string): string =>
  relativeTime(Date.parse(at) < now ? new Date(now).toISOString() : at, now, locale);

/** The moment in full, for a hover. It names the time zone when the person's own clock shows another time. */
export function fullTime(at: string, timeZone: string, own: string = ownZone(), locale: string = getLocale()): string {
  const moment = Date.parse(at);
  return new Intl.DateTimeFormat(locale, {
    ...{ timeZone, day: 'numeric', month: 'long', year: 'numeric', hour: 'numeric', minute: '2-digit' },
    ...(!isSameClock(timeZone, own, moment) && { timeZoneName: 'short' }),
  }).format(moment);
}

export const shortDate = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(getLocale(), { dateStyle: 'medium', timeZone }).format(Date.parse(at));

/** The day and the time to the second, for a log that is compared with other logs. */
export const logTime = (at: string, timeZone: string, locale: string = getLocale()): string =>
  new Intl.DateTimeFormat(locale, {
    ...{ timeZone, day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  }).format(Date.parse(at));

const dayOf = (at: string | number, timeZone: string): string => dayIn(new Date(at).getTime(), timeZone);
export const isSameDay = (one: string | number, other: string | number, timeZone: string): boolean =>
  dayOf(one, timeZone) === dayOf(other, timeZone);

const dayMs = 86_400_000;

/** `Today`, `Yesterday`, or the date. */
export function dayWords(at: string, now: number, timeZone: string, locale: string = getLocale()): string {
  const [day, today] = [dayOf(at, timeZone), dayOf(now, timeZone)];
  const days = Math.round((Date.parse(day) - Date.parse(today)) / dayMs);
  if (days === 0 || days === -1) {
    const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
    return word.charAt(0).toLocaleUpperCase(locale) + word.slice(1);
  }
  const year = day.slice(0, 4) === today.slice(0, 4) ? undefined : 'numeric';
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', year, timeZone }).format(
    Date.parse(at),
  );
}

export const clockTime = (at: string, timeZone: string, locale: string = getLocale()): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone }).format(Date.parse(at));

/** The clock today, the weekday in the last days, else the date: as short as a list needs it. */
export function shortMoment(at: string, now: number, timeZone: string, locale: string = getLocale()): string {
  if (isSameDay(at, now, timeZone)) return clockTime(at, timeZone, locale);
  const age = now - Date.parse(at);
  const form: Intl.DateTimeFormatOptions = age < 6 * dayMs ? { weekday: 'short' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(locale, { ...form, timeZone }).format(Date.parse(at));
}

/** `1 hr, 20 min`. */
export function duration(ms: number, locale: string = getLocale()): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  const part = (value: number, unit: 'hour' | 'minute') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [part(hours, 'hour')] : []), ...(rest > 0 ? [part(rest, 'minute')] : [])].join(' ');
}

/** `2 hr`: the largest unit alone, at least a minute. */
export function waitingTime(since: string, now: number, locale: string = getLocale()): string {
  const minutes = Math.max(1, Math.floor((now - Date.parse(since)) / 60_000));
  const [value, unit]: readonly [number, 'minute' | 'hour' | 'day'] =
    minutes < 60 ? [minutes, 'minute'] : minutes < 24 * 60 ? [minutes / 60, 'hour'] : [minutes / (24 * 60), 'day'];
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' });
  return format.format(Math.floor(value));
}

/** What takes time. */
export type Timed = Pick<Appointment, 'scheduled_at' | 'duration_minutes'>;

/** When it ends, in epoch ms. */
export const endOf = ({ scheduled_at, duration_minutes }: Timed): number =>
  Date.parse(scheduled_at) + duration_minutes * 60_000;

/** `Monday, November 23, 9:00 – 10:00 AM`, on the clock of the store. */
export const spanText = (span: Timed, timeZone: string): string =>
  new Intl.DateTimeFormat(getLocale(), {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  }).formatRange(Date.parse(span.scheduled_at), endOf(span));

export const timesText = (span: Timed, timeZone: string): string =>
  new Intl.DateTimeFormat(getLocale(), { timeZone, hour: 'numeric', minute: '2-digit' }).formatRange(
    Date.parse(span.scheduled_at),
    endOf(span),
  );

/** `Mon, Nov 23, 9:00 AM`, on the clock of the store. */
export const momentWords = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(getLocale(), {
    ...{ timeZone, weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
  }).format(Date.parse(at));

/** `2:30 AM GMT+2`: it tells the two passes of a repeated hour apart. */
export const timeWithOffset = (at: string, timeZone: string, locale: string = getLocale()): string =>
  new Intl.DateTimeFormat(locale, { timeZone, hour: 'numeric', minute: '2-digit', timeZoneName: 'shortOffset' }).format(
    Date.parse(at),
  );

/** A day without a clock: `Monday, November 23`. */
export const dayText = (day: string): string =>
  new Intl.DateTimeFormat(getLocale(), { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long' }).format(
    Date.parse(day),
  );

/** The days that are shown, for the heading: `November 2026`, or `Nov 22 – 28, 2026`. */
export function rangeText(view: string, day: string, { from, to }: { from: string; to: string }): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(getLocale(), { timeZone: 'UTC', ...options });
  if (view === 'month') return format({ month: 'long', year: 'numeric' }).format(Date.parse(day));
  if (view === 'day')
    return format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(Date.parse(day));
  const last = Date.parse(to) - dayMs;
  return format({ day: 'numeric', month: 'short', year: 'numeric' }).formatRange(Date.parse(from), last);
}

/** The day on which weeks begin where the person lives: 0 is Sunday. */
export function firstWeekday(): number {
  type Weeks = Intl.Locale & { getWeekInfo?: () => { firstDay: number } };
  const locale: Weeks = new Intl.Locale(navigator.language);
  return (locale.getWeekInfo?.().firstDay ?? 7) % 7;
}
