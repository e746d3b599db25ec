import { wallTime } from '../ui/zone.ts';

/** The next full hour on the clock of the store; nine o'clock on another day. */
export const nextHour = (timeZone: string, day?: string): string =>
  day ? `${day}T09:00` : `${wallTime(Date.now() + 3_600_000, timeZone).slice(0, 13)}:00`;
