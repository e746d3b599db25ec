import { getLocale } from '../paraglide/runtime.js';

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

/** The moment in full, for a hover. */
export const fullTime = (at: string): string =>
  new Intl.DateTimeFormat(getLocale(), { dateStyle: 'long', timeStyle: 'short' }).format(Date.parse(at));

export const shortDate = (at: string): string =>
  new Intl.DateTimeFormat(getLocale(), { dateStyle: 'medium' }).format(Date.parse(at));
