import { getLocale } from '../paraglide/runtime.js';

const dayOf = (at: string): string => new Date(at).toDateString();
export const isSameDay = (one: string, other: string): boolean => dayOf(one) === dayOf(other);

const dayMs = 86_400_000;

/** `Today`, `Yesterday`, or the date. */
export function dayWords(at: string, now: number, locale: string = getLocale()): string {
  const noon = (moment: number) => new Date(moment).setHours(12, 0, 0, 0);
  const days = Math.round((noon(Date.parse(at)) - noon(now)) / dayMs);
  if (days === 0 || days === -1) {
    const word = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
    return word.charAt(0).toLocaleUpperCase(locale) + word.slice(1);
  }
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  const year = isThisYear ? undefined : 'numeric';
  return new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long', year }).format(
    Date.parse(at),
  );
}

export const clockTime = (at: string, locale: string = getLocale()): string =>
  new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(Date.parse(at));

/** The clock today, the weekday in the last days, else the date: as short as a list needs it. */
export function shortMoment(at: string, now: number, locale: string = getLocale()): string {
  if (isSameDay(at, new Date(now).toISOString())) return clockTime(at, locale);
  const age = now - Date.parse(at);
  if (age < 6 * dayMs) return new Intl.DateTimeFormat(locale, { weekday: 'short' }).format(Date.parse(at));
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }).format(Date.parse(at));
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
