import type { ReportBucket } from '@mostrador/contracts';

/** A zone's calendar, from `Intl` and strings alone, so that it shares no code with the platform. */
export type Calendar = {
  /** `2027-01-31` */
  dateOf(instant: Date): string;
  /** The first date of the bucket that contains the date. */
  bucketOf(date: string, bucket: ReportBucket): string;
};

const dayMs = 24 * 60 * 60 * 1000;

const calendars = new Map<string, Calendar>();

export function calendarOf(timeZone: string): Calendar {
  const calendar = calendars.get(timeZone) ?? createCalendar(timeZone);
  calendars.set(timeZone, calendar);
  return calendar;
}

function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const known = new Map<number, string>();
  const dateOf = (instant: Date): string => {
    const date = known.get(instant.getTime()) ?? format.format(instant);
    known.set(instant.getTime(), date);
    return date;
  };
  return {
    dateOf,
    bucketOf(date, bucket) {
      if (bucket === 'day') return date;
      if (bucket === 'month') return `${date.slice(0, 7)}-01`;
      const noon = Date.parse(`${date}T12:00:00Z`);
      const sinceMonday = (new Date(noon).getUTCDay() + 6) % 7;
      return dateAfter(date, -sinceMonday);
    },
  };
}

export const dateAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T12:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** All dates from the first to the last. */
export function datesBetween(first: string, last: string): string[] {
  const dates = [first];
  for (let date = dateAfter(first, 1); date <= last; date = dateAfter(date, 1)) dates.push(date);
  return dates;
}
