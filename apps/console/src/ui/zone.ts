import { Temporal } from 'temporal-polyfill';

/** What the clock of a time zone shows at a moment: `2026-11-23T09:30`, as an input of a day and a time has it. */
export const wallTime = (at: string | number, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(new Date(at).getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
    .toString({ smallestUnit: 'minute' });

/**
 * The moment at which the clock of a time zone shows this. Undefined when it is not a day and a time. A time that spring
 * skips becomes the one as much later; of the two that autumn repeats it is the first. `filled`: the moment that filled the
 * input. It may have seconds or be in the second pass, and it stays while the clock shows the same.
 */
export function momentOf(wall: string, timeZone: string, filled?: string): string | undefined {
  if (filled !== undefined && wall === wallTime(filled, timeZone)) return filled;
  return readMoment(wall, timeZone, 'compatible');
}

function readMoment(wall: string, timeZone: string, disambiguation: 'compatible' | 'later'): string | undefined {
  try {
    const { epochMilliseconds } = Temporal.PlainDateTime.from(wall).toZonedDateTime(timeZone, { disambiguation });
    return new Date(epochMilliseconds).toISOString();
  } catch {
    return undefined;
  }
}

/** Both moments at which the clock shows a time that autumn repeats. Undefined for every other time. */
export function bothPasses(wall: string, timeZone: string): readonly [first: string, second: string] | undefined {
  const [first, second] = [readMoment(wall, timeZone, 'compatible'), readMoment(wall, timeZone, 'later')];
  return first && second && first !== second ? [first, second] : undefined;
}

/** The next full hour on the clock of the store; nine o'clock on another day. */
export const nextHour = (timeZone: string, day?: string): string =>
  day ? `${day}T09:00` : `${wallTime(Date.now() + 3_600_000, timeZone).slice(0, 13)}:00`;
