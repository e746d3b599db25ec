import { getLocale } from '../paraglide/runtime.js';
import type { Appointment } from './appointment-queries.ts';

type Span = Pick<Appointment, 'scheduled_at' | 'duration_minutes'>;

const endOf = ({ scheduled_at, duration_minutes }: Span): number =>
  Date.parse(scheduled_at) + duration_minutes * 60_000;

/** `Monday, November 23, 9:00 – 10:00 AM`, on the clock of the store. */
export const spanText = (span: Span, timeZone: string): string =>
  new Intl.DateTimeFormat(getLocale(), {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  }).formatRange(Date.parse(span.scheduled_at), endOf(span));

export const timesText = (span: Span, timeZone: string): string =>
  new Intl.DateTimeFormat(getLocale(), { timeZone, hour: 'numeric', minute: '2-digit' }).formatRange(
    Date.parse(span.scheduled_at),
    endOf(span),
  );

/** A day without a clock: `Monday, November 23`. */
export const dayText = (day: string): string =>
  new Intl.DateTimeFormat(getLocale(), { timeZone: 'UTC', weekday: 'long', day: 'numeric', month: 'long' }).format(
    Date.parse(day),
  );

/** The days that are shown, for the heading: `November 2026`, or `Nov 22 – 28, 2026`. */
export function rangeText(view: string, day: string, { from, to }: { from: string; to: string }): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(getLocale(), { timeZone: 'UTC', ...options });
  if (view === 'month') return format({ month: 'long', year: 'numeric' }).format(Date.parse(day));
  if (view === 'day')
    return format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(Date.parse(day));
  const last = Date.parse(to) - 86_400_000;
  return format({ day: 'numeric', month: 'short', year: 'numeric' }).formatRange(Date.parse(from), last);
}

/** The day on which weeks begin where the person lives: 0 is Sunday. */
export function firstWeekday(): number {
  type Weeks = Intl.Locale & { getWeekInfo?: () => { firstDay: number } };
  const locale: Weeks = new Intl.Locale(navigator.language);
  return (locale.getWeekInfo?.().firstDay ?? 7) % 7;
}
