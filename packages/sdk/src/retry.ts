const firstBackoffMs = 500;
const longestBackoffMs = 8_000;

/**
 * Whether the same request may succeed later. Every retry is safe: a read changes nothing, and a write has an idempotency
 * key. A 409 has `Retry-After` when the state passes by itself (`idempotency_in_progress`).
 */
export function isRetryable({ status, headers }: Response): boolean {
  return status === 408 || status === 429 || status >= 500 || (status === 409 && headers.has('retry-after'));
}

/** The milliseconds in `Retry-After`, which has seconds or a date. 0 without one. */
export function retryAfterMs(headers: Headers, now: number): number {
  const value = headers.get('retry-after') ?? '';
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}

/**
 * The milliseconds before the next attempt: exponential, with jitter so that clients do not return together, and never
 * less than the server asks for.
 *
 * @param retry 0 before the first retry
 * @param random from 0 to 1
 */
export function delayMs(retry: number, askedMs: number, random: number): number {
  const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** retry) * (0.5 + random / 2);
  return askedMs > 0 ? Math.max(askedMs + random * firstBackoffMs, backoff) : backoff;
}
