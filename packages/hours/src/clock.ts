import { Temporal } from 'temporal-polyfill';

/** A moment as a customer reads it: `sexta-feira, 15 de janeiro às 14:30`. */
export const momentText = (moment: Date, { timezone, locale }: { timezone: string; locale: string }): string =>
  new Intl.DateTimeFormat(locale, {
    timeZone: timezone,
    ...{ weekday: 'long', day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' },
  })
    .format(moment)
    // The narrow spaces of some languages, which not every phone shows.
    .replaceAll(/\p{Zs}/gu, ' ');

/** A moment by the clock of a zone. `weekday`: 1 is Monday, 7 is Sunday. `time`: `HH:MM`. */
export type LocalTime = { readonly date: string; readonly weekday: number; readonly time: string };

export function localTimeOf(moment: Date, timezone: string): LocalTime {
  const local = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timezone);
  return {
    date: local.toPlainDate().toString(),
    weekday: local.dayOfWeek,
    time: local.toPlainTime().toString({ smallestUnit: 'minute' }),
  };
}

/** The date that is `days` after a date such as `2027-12-25`. Undefined: there is no such date. */
export function dateAfter(date: string, days: number): string | undefined {
  return plainDate(date)?.add({ days }).toString();
}

/** When a day begins in a zone. Undefined: there is no such date. */
export function startOfDay(date: string, timezone: string): Date | undefined {
  const begins = plainDate(date)?.toZonedDateTime(timezone);
  return begins && new Date(begins.epochMilliseconds);
}

function plainDate(date: string): Temporal.PlainDate | undefined {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(date)) return undefined;
  try {
    return Temporal.PlainDate.from(date, { overflow: 'reject' });
  } catch {
    return undefined;
  }
}
