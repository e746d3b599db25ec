import { type LocalTime, localTimeOf } from '@mostrador/hours/clock';
import { foldAccents, hourWords, valueOfWords } from './number-words.ts';

/** A day as a text names it: what it does not say is undefined. `weekday`: 1 is Monday. */
export type NamedDay = {
  readonly weekday?: number | undefined;
  readonly day?: number | undefined;
  readonly month?: number | undefined;
};

const locales = ['pt', 'es', 'es-PE', 'en'];

/** The names of days or months in order, without accents: each with its forms in all languages. */
const namesOf = (options: Intl.DateTimeFormatOptions, dates: readonly Date[], languages = locales): string[] =>
  dates.map((date) => {
    const names = languages.map((language) =>
      new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(date),
    );
    return [...new Set(names.map((name) => foldAccents(name).replace('-feira', '')))].join('|');
  });
// 2024 begins on a Monday.
const days = Array.from({ length: 7 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)));
const firsts = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2024, month, 1)));
/** From Monday on, without accents: each with its names in all languages. */
export const weekdayNames = namesOf({ weekday: 'long' }, days);
const shortMonths = namesOf({ month: 'short' }, firsts, ['en']);
const monthNames = namesOf({ month: 'long' }, firsts).map((names, month) => `${names}|${shortMonths[month]}`);

/** The place of a word in one of these lists, from 1. */
const placeIn = (names: readonly string[], word: string): number =>
  names.findIndex((forms) => new RegExp(`^(?:${forms})$`, '').test(word)) + 1;

const before = String.raw`(?<![a-zà-ɏ0-9])`;
const after = String.raw`(?![a-zà-ɏ0-9])`;
const months = monthNames.join('|');
const weekday = String.raw`(?:${weekdayNames.join('|')})(?:-feira)?`;
// `segunda`, `quarta` and others are ordinals, too.
const notOrdinal = String.raw`(?!\s(?:opcao|vez|unidade|sessao|etapa|parte|via|pessoa|dose|aplicacao))`;

/** A day of a month: `dia 12`, `12 de novembro`, `12/11`, `November 12`, `the 12th`. */
const date = String.raw`(?<year>\d{4})-(?<isoMonth>\d{2})-(?<isoDay>\d{2})|(?<slashDay>\d{1,2})\/(?<slashMonth>\d{1,2})(?:\/\d{2,4})?${after}|(?:dia )?(?<ofDay>\d{1,2})[ºo]? (?:de |of )?(?<ofMonth>${months})${after}|(?<enMonth>${months}) (?:the )?(?<enDay>\d{1,2})(?:st|nd|rd|th)?${after}|dia (?<onlyDay>\d{1,2})${after}|the (?<theDay>\d{1,2})(?:st|nd|rd|th)${after}`;

const relatives: readonly (readonly [pattern: string, days: number])[] = [
  ['depois de amanha|pasado manana|(?:the )?day after tomorrow', 2],
  ['amanha|(?<!(?:la|esta|de|pasado) )manana|(?<!after )tomorrow', 1],
  ['hoje|hoy|today|tonight', 0],
];

const relativePatterns = relatives.map(
  ([pattern, days]) => [new RegExp(`${before}(?:${pattern})${after}`, 'g'), days] as const,
);
const weekdays = new RegExp(`${before}${weekday}${after}${notOrdinal}`, 'g');
const dates = new RegExp(`${before}(?:${date})`, 'g');

/** The days that a text names. */
export function daysIn(text: string, today: LocalTime): NamedDay[] {
  const found: NamedDay[] = [];
  let left = foldAccents(text);
  for (const [pattern, days] of relativePatterns) {
    left = left.replaceAll(pattern, () => {
      found.push(dayOf(dateFrom(today.date, days)));
      return ' ';
    });
  }
  for (const { 0: word } of left.matchAll(weekdays)) found.push({ weekday: weekdayOf(word) });
  for (const { groups = {} } of left.matchAll(dates)) found.push(dateOf(groups));
  return found;
}

const weekdayOf = (word: string): number => placeIn(weekdayNames, word.replace(/-feira$/, ''));

function dateOf(groups: Record<string, string | undefined>): NamedDay {
  const day = groups.isoDay ?? groups.slashDay ?? groups.ofDay ?? groups.enDay ?? groups.onlyDay ?? groups.theDay;
  const named = groups.ofMonth ?? groups.enMonth;
  const month = groups.isoMonth ?? groups.slashMonth;
  return {
    day: Number(day),
    ...(named !== undefined && { month: placeIn(monthNames, named) }),
    ...(month !== undefined && { month: Number(month) }),
  };
}

/** The day of a date such as `2027-01-05`. */
function dayOf(date: string): NamedDay {
  const at = new Date(`${date}T00:00:00Z`);
  return { weekday: at.getUTCDay() || 7, day: at.getUTCDate(), month: at.getUTCMonth() + 1 };
}

function dateFrom(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Whether two names can mean the same day. */
export const canBeSame = (one: NamedDay, other: NamedDay): boolean =>
  (['weekday', 'day', 'month'] as const).every(
    (part) => one[part] === undefined || other[part] === undefined || one[part] === other[part],
  );

const half = String.raw`(?:a\.?m\.?|p\.?m\.?)${after}|(?:da|de la|pela|por la|in the|at|à|a la) (?:manha|madrugada|manana|morning|tarde|afternoon|evening|noite|noche|night)`;
/** What makes a number of hours a duration or a notice. */
const lasting = String.raw`(?!\s?(?:de (?:anteced|dura)|antes|before|depois|despues|after|ago|atras|por dia|al dia))`;
const clock = new RegExp(
  // 10:30, 10h30, 10h, 3 pm
  String.raw`(?<![a-zà-ɏ0-9.,:/$-]|[$€£] )(?<hour>[01]?\d|2[0-3])(?:(?:\s?:|\s?h:?)(?<minute>[0-5]\d)(?:\s?(?:hs?|hrs?)${after})?(?!\d)|\s?(?:hs?|hrs?)${after}${lasting}|(?=\s?(?:[ap]\.?m\.?|da manh|de la manana|da tarde|de la tarde|da noite|de la noche|o['’]clock|horas? em ponto|en punto)))(?:\s?(?<half>${half}))?` +
    // às 10, a las diez, at ten
    String.raw`|${before}(?:às?|a las?|at|para as|das|from|until|hasta las?|ate [àa]s) (?<bare>[01]?\d|2[0-3]|${hourWords})(?![a-zà-ɏ0-9]|[.,:/%-]\d|\s?%|\s?[$€£]|\s(?:reais|minut|people|pessoas|dias|days|horas? de))(?:\s(?:e|y) (?<past>meia|media|quinze|cuarto|[0-5]\d)${after})?(?:\s?(?:horas?${after}\s?)?(?<bareHalf>${half}))?` +
    String.raw`|${before}(?:(?<noon>meio[- ]dia|medio ?dia|noon|midday)|(?<midnight>meia[- ]noite|medianoche|midnight))${after}`,
  'g',
);

/** A time of day in a text, with the minutes that it may mean: `3` is in the night or in the afternoon. */
type NamedClock = {
  readonly minutes: number[];
  /** Certainly a time, also without a day beside it: `às 3`, `15h`, `3 pm`. Not `2h`, which may be a duration. */
  readonly isSure: boolean;
};

function namedClocks(text: string): NamedClock[] {
  const folded = foldAccents(text);
  return [...folded.matchAll(clock)].map(({ 0: found, index, groups = {} }) => {
    if (groups.noon) return { minutes: [720], isSure: true };
    if (groups.midnight) return { minutes: [0], isSure: true };
    const { hour = groups.bare ?? '', minute = groups.past ?? '0' } = groups;
    const hours = /^\d/.test(hour) ? Number(hour) : valueOfWords(hour);
    const minutes = /^(?:meia|media)$/.test(minute) ? 30 : /^[qc]u/.test(minute) ? 15 : Number(minute);
    const part = groups.half ?? groups.bareHalf;
    const isAt = /(?:às?|a las?|at) $/.test(folded.slice(Math.max(0, index - 6), index));
    const isWhole = !/^(?:das|from|until) /.test(found) && !/^[^\n.,;:!?)]/.test(folded.slice(index + found.length));
    const isSure = part !== undefined || (groups.bare === undefined ? hours > 6 || isAt : isWhole);
    return { minutes: meanings(hours, minutes, part), isSure };
  });
}

/** The times of day that a text names, of each the minutes that it may mean. */
export const clocksIn = (text: string): number[][] => namedClocks(text).map(({ minutes }) => minutes);

/** Those that are certainly times, also without a day beside them. */
export const sureClocksIn = (text: string): number[][] =>
  namedClocks(text).flatMap(({ minutes, isSure }) => (isSure ? [minutes] : []));

function meanings(hours: number, minutes: number, part: string | undefined): number[] {
  const first = (hours % 12) * 60 + minutes;
  if (hours > 12 || hours === 0) return [(hours % 24) * 60 + minutes];
  if (part === undefined) return [first, first + 720];
  return [/^a\.?m|manh|madrug|manana|morning/.test(part) ? first : first + 720];
}

/** Whether two names can mean the same time of day. */
export const canBeSameClock = (one: readonly number[], other: readonly number[]): boolean =>
  one.some((minute) => other.includes(minute));

/** The sentences of a text. The point of an abbreviation such as `p.m.` ends none. */
export const sentencesOf = (text: string): string[] => text.split(/(?<=[!?…])\s+|(?<=(?<![ap]\.m|\b[ap])\.)\s+|\n+/iu);

/** A weekday beside a date or a relative day, as in `sexta, dia 12`, `12/11 (sexta)` and `amanhã, sexta`. */
const beside = String.raw`(?:\s?\(|,)?\s?(?:(?:no|el|on|the|que e|e|es|is) )?`;
const relative = relatives.map(([pattern]) => pattern).join('|');
const datePlain = date.replaceAll(/\(\?<(\w+)>/g, '(?<$12>');
const pairs = new RegExp(
  `${before}(?:(?<weekday>${weekday})${beside}(?:${date})|(?:${datePlain})${beside}(?<weekday2>${weekday})|` +
    `(?<weekday3>${weekday})${beside}(?<relative3>${relative})|(?<relative4>${relative})${beside}(?<weekday4>${weekday}))${after}`,
  'g',
);

/** The pairs of a text whose weekday is not that of the day beside it. Pure. */
export function wrongWeekdays(text: string, today: LocalTime): string[] {
  return [...foldAccents(text).matchAll(pairs)].flatMap(({ 0: found, groups = {} }) => {
    const word = groups.weekday ?? groups.weekday2 ?? groups.weekday3 ?? groups.weekday4 ?? '';
    const said = groups.relative3 ?? groups.relative4;
    const possible =
      said === undefined ? datesOf(dateOf(groups.weekday ? groups : unnumbered(groups)), today) : daysIn(said, today);
    const named = weekdayOf(word);
    return possible.length > 0 && !possible.some(({ weekday: actual }) => actual === named) ? [found] : [];
  });
}

const unnumbered = (groups: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(groups).flatMap(([name, value]) => (name.endsWith('2') ? [[name.slice(0, -1), value]] : [])),
  );

/** The next date of that name, and one of the last two weeks. Where a month could be a day, as in `11/12`, both. */
function datesOf({ day, month }: NamedDay, today: LocalTime): NamedDay[] {
  const dates = Array.from({ length: 365 }, (_, place) => ({
    ...dayOf(dateFrom(today.date, place - 14)),
    isPast: place < 14,
  })).filter(
    (one) =>
      (one.day === day && (month === undefined || one.month === month)) ||
      (month !== undefined && one.day === month && one.month === day),
  );
  return month === undefined ? dates.slice(0, dates[0]?.isPast ? 2 : 1) : dates;
}

/** A time of a row: its day, and the minutes of the day. */
export type Moment = { readonly day: NamedDay; readonly clock: readonly number[] };

/** Whether a row can be at a time of day that stands beside these days, or without a day. Pure. */
export const canBeAt = ({ day, clock }: Moment, named: readonly number[], days: readonly NamedDay[]): boolean =>
  canBeSameClock(clock, named) && (days.length === 0 || days.some((one) => canBeSame(one, day)));

/** A moment in a zone as a day and minutes. */
export function momentOf(moment: Date, timezone: string): Moment {
  const { date: on, time } = localTimeOf(moment, timezone);
  return momentAt(on, time);
}

/** The same for a date and a time such as `2027-01-05` and `10:00`. */
export const momentAt = (on: string, time: string): Moment => ({
  day: dayOf(on),
  clock: [Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))],
});
