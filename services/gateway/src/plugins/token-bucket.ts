import { createBoundedCache } from '@mostrador/kit/process/bounded-cache';

/** The decision for one request, and the values of its headers. Seconds are whole, rounded up. */
export type Taken = {
  readonly allowed: boolean;
  /** Requests that would still pass at this moment. */
  readonly remaining: number;
  /** Seconds until the bucket is full again if nothing more is taken. */
  readonly fullInSeconds: number;
  /** Seconds until the next request fits; 0 when one fits now. */
  readonly retryAfterSeconds: number;
};

export type TokenBuckets = {
  /** Takes a token when there is one. With `cost` 0 it only says whether there is one. */
  take(key: string, requestsPerMinute: number, nowMs: number, cost?: 0 | 1): Taken;
  /** Gives a taken token back. The bucket never gets fuller than full. */
  giveBack(key: string, requestsPerMinute: number): void;
};

type Bucket = { tokens: number; filledAtMs: number };

/**
 * Token buckets, one per key. Each holds one minute of requests and refills evenly.
 *
 * Not @fastify/rate-limit: it counts fixed windows. Twice the rate passes around the edge of a window, and a client
 * that has used up its window waits for the rest of it. An evicted bucket starts full again, so the memory limit can
 * only let more requests pass, never reject one.
 */
export function createTokenBuckets(options: { maximumKeys: number }): TokenBuckets {
  const buckets = createBoundedCache<string, Bucket>(options.maximumKeys);

  return {
    take(key, requestsPerMinute, nowMs, cost = 1) {
      const capacity = requestsPerMinute;
      const perMs = requestsPerMinute / 60_000;
      let bucket = buckets.get(key);
      if (!bucket) {
        bucket = { tokens: capacity, filledAtMs: nowMs };
        buckets.set(key, bucket);
      }
      // A store's rate may have changed since the last request: `min` caps the tokens at a smaller capacity.
      bucket.tokens = Math.min(capacity, bucket.tokens + Math.max(0, nowMs - bucket.filledAtMs) * perMs);
      bucket.filledAtMs = nowMs;

      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= cost;
      return {
        allowed,
        remaining: Math.floor(bucket.tokens),
        fullInSeconds: Math.ceil((capacity - bucket.tokens) / perMs / 1000),
        retryAfterSeconds: bucket.tokens >= 1 ? 0 : Math.ceil((1 - bucket.tokens) / perMs / 1000),
      };
    },
    giveBack(key, requestsPerMinute) {
      const bucket = buckets.get(key);
      if (bucket) bucket.tokens = Math.min(requestsPerMinute, bucket.tokens + 1);
    },
  };
}
