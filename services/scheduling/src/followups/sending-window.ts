import type { SendingWindows } from '@mostrador/contracts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The interval at which offsets are compared. No zone changes its clock and back within 6 hours. */
const strideMs = 6 * 60 * minuteMs;
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
  for (let from = instant.getTime(); ; ) {
    // Local time as if it were UTC. It is continuous until the next clock change.
    const offset = offsetAt(zone, from);
    const local = nextLocalOpening(windows, from + offset);
    const at = local.at - offset;
    const change = clockChangeBetween(zone, from, at);
    if (change === undefined) return { at: new Date(at), openForMs: local.openForMs };
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

/** The first instant after `from` and up to `to` at which the zone's offset differs from that at `from`. */
function clockChangeBetween(zone: string, from: number, to: number): number | undefined {
  const offset = offsetAt(zone, from);
  for (let low = from; low < to; low += strideMs) {
    let high = Math.min(low + strideMs, to);
    if (offsetAt(zone, high) === offset) continue;
    // Binary search: `low` has the old offset, `high` the new one. Clocks change on a whole second.
    low = Math.floor(low / 1000) * 1000;
    high = Math.floor(high / 1000) * 1000;
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (offsetAt(zone, middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  }
  return undefined;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Local time minus UTC, in ms. */
function offsetAt(zone: string, instant: number): number {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(zone, formatter);
  }
  const second = Math.floor(instant / 1000) * 1000;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatter.formatToParts(second)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}
