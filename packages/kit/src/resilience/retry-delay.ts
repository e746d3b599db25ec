const longestRetryMs = 5 * 60_000;
const longestRetryAfterMs = 24 * 3_600_000;

/**
 * Milliseconds until the attempt at a provider after attempt number `attempts`: `firstMs`, doubled each time, at most
 * 5 minutes, give or take a fifth so that not all come back at once. What the provider asked for (`Retry-After`, in
 * seconds) wins, between a second and a day.
 */
export function retryDelayMs(
  after: { readonly attempts: number; readonly firstMs: number; readonly retryAfterSeconds: number | undefined },
  random: () => number = Math.random,
): number {
  const { attempts, firstMs, retryAfterSeconds } = after;
  if (retryAfterSeconds !== undefined) return Math.min(Math.max(retryAfterSeconds * 1000, 1000), longestRetryAfterMs);
  const doubled = firstMs * 2 ** Math.min(Math.max(attempts - 1, 0), 20);
  return Math.round(Math.min(Math.min(doubled, longestRetryMs) * (0.8 + 0.4 * random()), longestRetryMs));
}
