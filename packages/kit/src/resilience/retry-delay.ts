const longestRetryMs = 5 * 60_000;
const longestRetryAfterMs = 24 * 3_600_000;

/**
 * Milliseconds until the next attempt at a provider, after attempt number `attempts`: `firstMs`, doubled each time, at
 * most `longestMs` (default 5 minutes), with 20 % jitter either way. A provider's `Retry-After`, in seconds, takes
 * precedence, between 1 second and 24 hours.
 */
export function retryDelayMs(
  after: {
    readonly attempts: number;
    readonly firstMs: number;
    readonly longestMs?: number;
    readonly retryAfterSeconds?: number | undefined;
  },
  random: () => number = Math.random,
): number {
  const { attempts, firstMs, longestMs = longestRetryMs, retryAfterSeconds } = after;
  if (retryAfterSeconds !== undefined) return Math.min(Math.max(retryAfterSeconds * 1000, 1000), longestRetryAfterMs);
  const doubled = firstMs * 2 ** Math.min(Math.max(attempts - 1, 0), 20);
  return Math.round(Math.min(Math.min(doubled, longestMs) * (0.8 + 0.4 * random()), longestMs));
}

/**
 * Milliseconds until a row asks a blocked circuit again: `blockedForMs`, at least `leastMs`, plus jitter so that not
 * all rows ask at once. The jitter is up to 20 % of `blockedForMs`, or up to `leastSpreadMs` if that is more.
 */
export function delayWhileBlockedMs(
  { blockedForMs, leastMs, leastSpreadMs }: { blockedForMs: number; leastMs: number; leastSpreadMs: number },
  random: () => number = Math.random,
): number {
  return Math.round(Math.max(blockedForMs, leastMs) + random() * Math.max(blockedForMs * 0.2, leastSpreadMs));
}
