import { LRUCache } from 'lru-cache';

/** What became of one request: whether it may pass, and what the headers say. Seconds are whole, rounded up. */
export type Taken = {
  readonly allowed: boolean;
  /** Requests that would still pass at this moment. */
  readonly remaining: number;
  /** Seconds until the bucket is full again if nothing more is taken. */
  readonly fullInSeconds: number;
  /** Seconds until the next request fits; 0 when one fits now. */
  readonly retryAfterSeconds: number;
};

export type TokenBuckets = { take(key: string, requestsPerMinute: number, nowMs: number): Taken };

type Bucket = { tokens: number; filledAtMs: number };

/**
 * Token buckets, one per key, that hold a minute's worth and fill evenly.
 *
 * Not @fastify/rate-limit: it counts fixed windows, so twice the rate passes around the edge of a window and a client
 * that used its window up waits for all of it. A bucket that was evicted starts full again, so what bounds the memory
 * can only let more through, never refuse.
 */
export function createTokenBuckets(options: { maximumKeys: number }): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>({ max: options.maximumKeys });

  return {
    take(key, requestsPerMinute, nowMs) {
      const capacity = requestsPerMinute;
      const perMs = requestsPerMinute / 60_000;
      let bucket = buckets.get(key);
      if (!bucket) {
        bucket = { tokens: capacity, filledAtMs: nowMs };
        buckets.set(key, bucket);
      }
      // The clock is monotonic, but a store's rate may have changed since: `min` cuts to a smaller capacity.
      bucket.tokens = Math.min(capacity, bucket.tokens + Math.max(0, nowMs - bucket.filledAtMs) * perMs);
      bucket.filledAtMs = nowMs;

      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      return {
        allowed,
        remaining: Math.floor(bucket.tokens),
        fullInSeconds: Math.ceil((capacity - bucket.tokens) / perMs / 1000),
        retryAfterSeconds: bucket.tokens >= 1 ? 0 : Math.ceil((1 - bucket.tokens) / perMs / 1000),
      };
    },
  };
}
