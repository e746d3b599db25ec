// `locale` is the language of the person.

export type Choice = readonly [value: string, text: string];

/** All time zones of this browser, and the one that is set. */
export const zonesWith = (zone: string): string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', zone])].sort();

/** Without accents, capitals and underscores: `São_Paulo` and `sao paulo` are the same. */
const folded = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .replaceAll('_', ' ')
    .toLowerCase();

/** Whether every word that is typed stands in the name of the zone. */
export const findsZone = (zone: string, typed: string): boolean =>
  folded(typed)
    .split(/[\s/,]+/)
    .every((word) => folded(zone).includes(word));

export const clockIn = (locale: string, timeZone: string, options: Intl.DateTimeFormatOptions = {}): string =>
  new Intl.DateTimeFormat(locale, { timeZone, hour: 'numeric', minute: '2-digit', ...options }).format();
export const dayAndClockIn = (locale: string, zone: string): string => clockIn(locale, zone, { weekday: 'long' });

/** Regions that have a code, and are no country with phone numbers of its own. */
const noCountries = new Set(['AQ', 'BV', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'HM', 'IC', 'QO', 'UN', 'XA', 'XB', 'ZZ']);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** The countries by their names. */
export function countries(locale: string): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .flatMap((code): Choice[] => {
      // A code of the past, such as DD, becomes that of today.
      if (noCountries.has(code) || new Intl.Locale(`und-${code}`).region !== code) return [];
      const name = names.of(code);
      return name === undefined ? [] : [[code, name]];
    })
    .sort(byText(locale));
}

const offered = ['pt-BR', 'pt-PT', 'es', 'es-AR', 'es-CL', 'es-CO', 'es-ES', 'es-MX', 'es-PE', 'en', 'en-GB', 'en-US'];
const others = ['de', 'fr', 'it'];

/** Languages of customers, and the one that is set. */
export function languagesWith(locale: string, language: string): Choice[] {
  const names = new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' });
  return [...new Set([...offered, ...others, language])]
    .map((tag): Choice => [tag, names.of(tag) ?? tag])
    .sort(byText(locale));
}

const byText =
  (locale: string) =>
  ([, one]: Choice, [, other]: Choice): number =>
    one.localeCompare(other, locale);

const inWords = (locale: string, value: number, unit: 'second' | 'minute' | 'hour' | 'day'): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 2 }).format(value);

/** Numbers that are offered, and the one that is set, in their order. */
const numbersWith = (numbers: readonly number[], set: number, wordsOf: (value: number) => string): Choice[] =>
  [...new Set([...numbers, set])].sort((a, b) => a - b).map((value) => [String(value), wordsOf(value)]);

export const waitsWith = (locale: string, seconds: number, none: string): Choice[] =>
  numbersWith([0, 1, 2, 3, 5, 8], seconds, (value) => (value === 0 ? none : inWords(locale, value, 'second')));

export const idleTimesWith = (locale: string, hours: number): Choice[] =>
  numbersWith([1, 2, 4, 8, 12, 24, 48, 72, 168, 720], hours, (value) =>
    value >= 48 && value % 24 === 0 ? inWords(locale, value / 24, 'day') : inWords(locale, value, 'hour'),
  );

/** In the largest unit that says them in a whole number. */
export function minutesText(locale: string, minutes: number): string {
  if (minutes >= 2880 && minutes % 1440 === 0) return inWords(locale, minutes / 1440, 'day');
  return minutes >= 60 && minutes % 60 === 0
    ? inWords(locale, minutes / 60, 'hour')
    : inWords(locale, minutes, 'minute');
}

export const minutesWith = (locale: string, offered: readonly number[], set: number, none: string): Choice[] =>
  numbersWith(offered, set, (minutes) => (minutes === 0 ? none : minutesText(locale, minutes)));

export const daysWith = (locale: string, offered: readonly number[], set: number): Choice[] =>
  numbersWith(offered, set, (days) => inWords(locale, days, 'day'));

const halfHours = Array.from({ length: 49 }, (_, half) => {
  const hour = String(Math.floor(half / 2)).padStart(2, '0');
  return `${hour}:${half % 2 === 0 ? '00' : '30'}`;
});

/** The times at which a sending time may begin or end, and the one that is set. */
export const timesWith = (time: string, end: 'from' | 'to'): Choice[] =>
  [...new Set([...halfHours.filter((one) => one !== (end === 'from' ? '24:00' : '00:00')), time])]
    .sort()
    .map((one) => [one, one]);

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** 2024 began with a Monday. */
export const nameOfWeekday = (locale: string, weekday: (typeof weekdays)[number], form: 'short' | 'long'): string =>
  new Intl.DateTimeFormat(locale, { weekday: form, timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, 1 + weekdays.indexOf(weekday)),
  );
