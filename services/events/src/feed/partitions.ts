import { feedRetentionDays } from '@mostrador/contracts';

const dayMs = 24 * 3_600_000;

/** An event is appended after it was created, apart from the difference between two clocks, which is less than this. */
export const clockMarginMs = dayMs;
/** The number of days that the job may fail before an append has to make its partition. */
const daysAhead = 3;

/** The day of an instant in UTC: `2027-01-31`. */
export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);

/** The days that need a partition now: today and the next ones. */
export const daysToMake = (now: Date): string[] =>
  Array.from({ length: daysAhead + 1 }, (_, days) => dayOf(new Date(now.getTime() + days * dayMs)));

/** The first day that is kept: all earlier ones ended at least `feedRetentionDays` ago. */
export const firstKeptDay = (now: Date): string => dayOf(new Date(now.getTime() - feedRetentionDays * dayMs));
