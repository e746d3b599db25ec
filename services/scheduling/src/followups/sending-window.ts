import type { SendingWindows } from '@mostrador/contracts';
import { dayMs, type HoursOfDay, joinParts, minuteMs, minutesOf, weekdayOf } from '@mostrador/hours/local-days';
import { openSpans } from '@mostrador/hours/open-spans';

/** Attempts that wait for an opening are spread over this time. */
export const spreadMs = 5 * minuteMs;

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** An instant at which follow-ups may be sent, and the least time from then on in which they may. */
export type Opening = { readonly at: Date; readonly openForMs: number };

/**
 * The instant itself when its local time is inside a window or there are no windows, else the next opening. A window
 * that starts in a skipped hour opens at the first moment after it. Both passes of a repeated hour are inside.
 */
export function nextOpening(windows: SendingWindows, zone: string, instant: Date): Opening {
  if (windows.length === 0) return { at: instant, openForMs: Number.POSITIVE_INFINITY };
  const hours = hoursOf(windows);
  // A week finds the next opening, unless a clock change skips that one.
  for (let from = instant.getTime(), weeks = 0; weeks < mostWeeks; from += 7 * dayMs, weeks += 1) {
    const [span] = openSpans(hours, zone, from, from + 7 * dayMs);
    if (span) return { at: new Date(span.start), openForMs: span.end - span.start };
  }
  throw new Error('the sending windows never open');
}

const mostWeeks = 4;

function hoursOf(windows: SendingWindows): HoursOfDay {
  const parts = weekdays.map((weekday) =>
    joinParts(
      windows
        .filter((window) => window.weekdays.includes(weekday))
        .map(({ from, to }) => ({ from: minutesOf(from), to: minutesOf(to) })),
    ),
  );
  return (day) => parts[weekdayOf(day) - 1] ?? [];
}

/** When to try a follow-up that is due at `instant`: at that moment, or up to 5 minutes after the next opening. */
export function planAttempt(windows: SendingWindows, zone: string, instant: Date, id: string): Date {
  const { at, openForMs } = nextOpening(windows, zone, instant);
  if (at.getTime() === instant.getTime()) return instant;
  return new Date(at.getTime() + Math.floor(shareOf(id) * Math.min(spreadMs, openForMs)));
}

/** A value from 0 to below 1 from the random bits at the end of the id, so that planning again gives the same time. */
const shareOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(-8), 16) / 2 ** 32;
