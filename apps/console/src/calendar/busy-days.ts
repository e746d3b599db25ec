import type { Span } from '@mostrador/hours/local-days';
import { m } from '../paraglide/messages.js';
import { momentIn } from '../ui/clock.ts';
import { timesText } from '../ui/time.ts';
import { addDays } from './calendar-search.ts';
import { byDay, partIn } from './spans.ts';

/** When a busy time takes time of a day. */
export function busyText(busy: Span, day: string, timeZone: string): string {
  const whole = { start: momentIn(day, '00:00', timeZone), end: momentIn(addDays(day, 1), '00:00', timeZone) };
  const { start, end } = partIn(busy, whole) ?? busy;
  if (start === whole.start && end === whole.end) return m.calendar_all_day();
  const times = { scheduled_at: new Date(start).toISOString(), duration_minutes: (end - start) / 60_000 };
  return timesText(times, timeZone);
}

type Days = { readonly from: string; readonly to: string };

/** The busy times of each day of a month. Each has a line there, after the appointments. */
export const busyLines = (busy: readonly Span[], days: Days, timeZone: string) =>
  [...byDay(busy, (span) => span, days, timeZone)].flatMap(([day, ofDay]) =>
    ofDay.map((span) => ({ day, times: busyText(span, day, timeZone) })),
  );
