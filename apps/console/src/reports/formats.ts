import { getLocale } from '../paraglide/runtime.js';
import { moneyText } from '../ui/numbers.ts';
import type { Bucket } from './report-search.ts';

const none = '–';

/** An amount of money; a dash when it is not known. */
export const money = (amount: number | null, currency: string): string =>
  amount === null ? none : moneyText(amount, currency);

/** A share of 0 to 1 in percent; a dash when there is none. */
export const share = (value: number | null): string =>
  value === null
    ? none
    : new Intl.NumberFormat(getLocale(), { style: 'percent', maximumFractionDigits: 1 }).format(value);

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `3 min`, `1.5 hr`; a dash when there is none. */
export function duration(seconds: number | null): string {
  if (seconds === null) return none;
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? (['second', 1] as const);
  const maximumFractionDigits = seconds / size < 10 ? 1 : 0;
  const format = new Intl.NumberFormat(getLocale(), {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits,
  });
  return format.format(seconds / size);
}

/** What a bucket is called: its first day, or its month. */
export function bucketName(start: string, bucket: Bucket, timeZone: string): string {
  const form: Intl.DateTimeFormatOptions =
    bucket === 'month' ? { month: 'short', year: 'numeric' } : { day: 'numeric', month: 'short' };
  return new Intl.DateTimeFormat(getLocale(), { ...form, timeZone }).format(Date.parse(start));
}

/** A round number at or above the greatest value, for the end of an axis: a few times a power of ten. */
export function niceMaximum(values: readonly number[]): number {
  const most = Math.max(...values, 1);
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 3, 4, 5, 6, 8].find((step) => step * power >= most) ?? 10) * power;
}
