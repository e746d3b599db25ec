import { getLocale } from '../paraglide/runtime.js';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size for people, such as `1.4 MB`. */
export function readableSize(bytes: number, locale: string = getLocale()): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const format = { style: 'unit', unit: units[power], unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, format).format(bytes / 1000 ** power);
}
