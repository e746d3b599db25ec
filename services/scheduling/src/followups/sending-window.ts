import type { SendingWindows } from '@mostrador/contracts';
import { Temporal } from 'temporal-polyfill';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Attempts that wait for an opening are spread over this time. */
export const spreadMs = 5 * minuteMs;

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** An instant at which follow-ups may be sent, and the least time from then on in which they may. */
export type Opening = { readonly at: Date; readonly openForMs: number };

/**
 * The instant itself when its local time is inside a window or there are no windows, else the next opening. A window
 * that starts in a skipped hour opens at the first moment after it. Both passes of a repeated hour are inside.
 */
export function nextOpening(windows: SendingWindows, zone: string, instant: Date): Opening {
  if (windows.length === 0) return { at: instant, openForMs: Number.POSITIVE_INFINITY };
  for (let from = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone); ; ) {
    // Local time as if it were UTC. It is continuous until the next clock change.
    const offset = from.offsetNanoseconds / 1_000_000;
    const local = nextLocalOpening(windows, from.epochMilliseconds + offset);
    const at = local.at - offset;
    const change = at === from.epochMilliseconds ? null : from.getTimeZoneTransition('next');
    if (!change || change.epochMilliseconds > at) return { at: new Date(at), openForMs: local.openForMs };
    from = change;
  }
}

/** When to try a follow-up that is due at `instant`: at that moment, or up to 5 minutes after the next opening. */
export function planAttempt(windows: SendingWindows, zone: string, instant: Date, id: string): Date {
  const { at, openForMs } = nextOpening(windows, zone, instant);
  if (at.getTime() === instant.getTime()) return instant;
  return new Date(at.getTime() + Math.floor(shareOf(id) * Math.min(spreadMs, openForMs)));
}

/** A value from 0 to below 1 from the random bits at the end of the id, so that planning again gives the same time. */
const shareOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(-8), 16) / 2 ** 32;

/** The next opening from `from` on. All times are local. */
function nextLocalOpening(windows: SendingWindows, from: number): { at: number; openForMs: number } {
  const today = Math.floor(from / dayMs) * dayMs;
  let best: { at: number; openForMs: number } | undefined;
  // Up to the same weekday of next week, because today's window may be over.
  for (let day = today; day <= today + 7 * dayMs; day += dayMs) {
    const weekday = weekdays[new Date(day).getUTCDay()] as (typeof weekdays)[number];
    for (const window of windows) {
      if (!window.weekdays.includes(weekday)) continue;
      const at = Math.max(day + minutesOf(window.from) * minuteMs, from);
      const openForMs = day + minutesOf(window.to) * minuteMs - at;
      if (openForMs <= 0) continue;
      if (!best || at < best.at || (at === best.at && openForMs > best.openForMs)) best = { at, openForMs };
    }
    if (best) return best;
  }
  throw new Error('the sending windows never open');
}

/** Minutes after midnight of `HH:MM`. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
