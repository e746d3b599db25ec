import type { Appointment } from './appointment-queries.ts';
import { type Booking, bookable } from './booking.ts';
import { addDays } from './calendar-search.ts';

/** A column of the day: a seller, or the places of the store itself. */
export type Column = { readonly sellerId: string | null };

/** The columns of a day, or none when no seller of the store can be booked. */
export function columnsOf(booking: Booking | null, appointments: readonly Appointment[]): Column[] {
  if (!booking) return [];
  const people = bookable(booking).map(({ id }) => id);
  if (people.length === 0) return [];
  const { overlap, capacity } = booking.rules;
  const sellerIds = appointments.map(({ seller_id }) => seller_id ?? null);
  const ofStore = overlap === 'allow' || capacity > 0 || sellerIds.includes(null);
  const others = new Set(sellerIds.filter((id) => id !== null && !people.includes(id)));
  return [...people, ...others, ...(ofStore ? [null] : [])].map((sellerId) => ({ sellerId }));
}

const dayMs = 86_400_000;

/** The library has no columns of people: each column is a day after `date` that stands for one. */
export const dayOfColumn = (date: string, index: number): string => addDays(date, index);

/** The column in which a time on that calendar lies. */
export const columnOf = (date: string, shown: string): number =>
  Math.round((Date.parse(shown.slice(0, 10)) - Date.parse(date)) / dayMs);

export const minutesBetween = (start: Date, end: Date): number =>
  Math.round((end.getTime() - start.getTime()) / 60_000);
/** Until the day of the calendar, and so the column, ends. */
export const minutesToMidnight = (at: Date): number => 1440 - at.getUTCHours() * 60 - at.getUTCMinutes();
