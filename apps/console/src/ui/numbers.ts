import { getLocale } from '../paraglide/runtime.js';

/** A number for people, such as `1,200`. */
export const numberText = (value: number, locale: string = getLocale()): string =>
  new Intl.NumberFormat(locale).format(value);

/** An amount of money. What a message costs is often less than a cent. Without a known `currency` none is named. */
export function moneyText(amount: number, currency: string | null, locale: string = getLocale()): string {
  const style = currency === null ? {} : ({ style: 'currency', currency } as const);
  return new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: 4 }).format(amount);
}
