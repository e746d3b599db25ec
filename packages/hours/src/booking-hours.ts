import type { BookingRules, OpeningHours } from '@mostrador/contracts';
import {
  type DayPart,
  dateOf,
  type HoursOfDay,
  intersectParts,
  joinParts,
  minutesOf,
  weekdayOf,
} from './local-days.ts';

const wholeDay: readonly DayPart[] = [{ from: 0, to: 24 * 60 }];

const partOf = ({ from, to }: { readonly from: string; readonly to: string }): DayPart => ({
  from: minutesOf(from),
  to: minutesOf(to),
});

function weekly(hours: readonly OpeningHours[] | null): HoursOfDay {
  if (hours === null) return () => wholeDay;
  const byWeekday = Map.groupBy(hours, ({ weekday }) => weekday);
  const parts = new Map([...byWeekday].map(([weekday, some]) => [weekday, joinParts(some.map(partOf))]));
  return (day) => parts.get(weekdayOf(day)) ?? [];
}

/**
 * When a place can be booked. A seller's own hours replace those of the store's week. On the date of an exception the hours
 * of the exception count, and a seller with own hours is there for as long as both allow.
 */
export function bookingHours(
  { hours, exceptions }: Pick<BookingRules, 'hours' | 'exceptions'>,
  own: readonly OpeningHours[] | null = null,
): HoursOfDay {
  const usual = weekly(own ?? hours);
  const byDate = new Map(exceptions.map(({ date, hours: some }) => [date, joinParts(some.map(partOf))]));
  if (byDate.size === 0) return usual;
  return (day) => {
    const exception = byDate.get(dateOf(day));
    if (!exception) return usual(day);
    return own ? intersectParts(exception, usual(day)) : exception;
  };
}
