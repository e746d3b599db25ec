import { retryDelayMs } from '@mostrador/kit/resilience/retry-delay';

const firstMs = 60_000;
const longestMs = 10 * 60_000;
const relapseMs = 3_600_000;

/** Milliseconds until the next check of a refused channel, after this number of checks: a minute at first, then up to ten. */
export const delayBeforeCheck = (checks: number, random?: () => number): number =>
  retryDelayMs({ attempts: checks + 1, firstMs, longestMs }, random);

/**
 * The checks that count when the provider refuses a channel. One that a check found well within the last hour goes on
 * counting, so that a check that passes wrongly does not repeat every minute.
 */
export const checksBefore = (
  { checks, recovered_at }: { readonly checks: number; readonly recovered_at: Date | null },
  now: Date,
): number => (recovered_at && now.getTime() - recovered_at.getTime() < relapseMs ? checks : 0);
