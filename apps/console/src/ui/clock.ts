let own: string | undefined;
/** The time zone of this browser. */
export function ownZone(): string {
  own ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return own;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** What the clock of a time zone shows at a moment: `2026-11-23 09:30:00`. Swedish writes it so. */
export function clockText(at: number, timeZone: string): string {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    clocks.set(timeZone, clock);
  }
  return clock.format(at);
}

/** The day that it is in a time zone: `2026-11-23`. */
export const dayIn = (at: number, timeZone: string): string => clockText(at, timeZone).slice(0, 10);

/** By how much the clock of a time zone is ahead of UTC, in ms. */
function aheadMs(at: number, timeZone: string): number {
  const seconds = Math.floor(at / 1000) * 1000;
  return Date.parse(`${clockText(seconds, timeZone).replace(' ', 'T')}Z`) - seconds;
}

/**
 * The moment at which the clock of a time zone shows this time of a day. `zone.ts` also knows skipped hours, with a large
 * library.
 */
export function momentIn(day: string, time: string, timeZone: string): number {
  const shown = Date.parse(`${day}T${time}:00Z`);
  return shown - aheadMs(shown - aheadMs(shown, timeZone), timeZone);
}

/** Whether two time zones show the same now, in winter and in summer. */
export function isSameClock(one: string, other: string, now: number): boolean {
  if (one === other) return true;
  const year = new Date(now).getUTCFullYear();
  return [now, Date.UTC(year, 0, 1), Date.UTC(year, 6, 1)].every((at) => aheadMs(at, one) === aheadMs(at, other));
}

/** A zone as people read it: `America/Sao Paulo`. */
export const nameOfZone = (zone: string): string => zone.replaceAll('_', ' ');
