import { bookingHours } from '@mostrador/hours/booking-hours';
import type { DayPart, HoursOfDay } from '@mostrador/hours/local-days';
import type { Booking } from './booking.ts';

const dayMinutes = 24 * 60;

/** When the store, or one of its sellers, can be booked. */
export function hoursOf({ rules, sellers }: Pick<Booking, 'rules' | 'sellers'>, sellerId: string | null): HoursOfDay {
  const own = sellers.find(({ id }) => id === sellerId)?.hours ?? null;
  return bookingHours(rules, own);
}

/** The parts of a day, such as `2026-11-23`, that are not open. */
export function closedParts(hours: HoursOfDay, day: string): DayPart[] {
  const open = hours(Date.parse(day));
  const edges = [0, ...open.flatMap(({ from, to }) => [from, to]), dayMinutes];
  return Array.from({ length: open.length + 1 }, (_, index) => ({
    from: edges[2 * index] ?? 0,
    to: edges[2 * index + 1] ?? dayMinutes,
  })).filter(({ from, to }) => from < to);
}
