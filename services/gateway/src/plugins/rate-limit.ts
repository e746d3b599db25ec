import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import { createTokenBuckets } from './token-bucket.ts';

/** The most keys that have a bucket. */
const maximumKeys = 100_000;

/**
 * Limits the requests of each key to its store's rate: 429 above it. Each process counts alone, so n gateways allow n
 * times the rate. Needs `request.access`.
 */
export function addRateLimit(api: FastifyInstance): void {
  const buckets = createTokenBuckets({ maximumKeys });
  api.addHook('onRequest', (request, reply, done) => {
    const { keyId, requestsPerMinute } = request.access;
    const taken = buckets.take(keyId, requestsPerMinute, performance.now());
    reply.header('ratelimit-policy', `"default";q=${requestsPerMinute};w=60`);
    reply.header('ratelimit', `"default";r=${taken.remaining};t=${taken.fullInSeconds}`);
    done(taken.allowed ? undefined : new AppError('quota_exceeded', { retryAfterSeconds: taken.retryAfterSeconds }));
  });
}
