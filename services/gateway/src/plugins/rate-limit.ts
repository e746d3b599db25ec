import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import { createTokenBuckets } from './token-bucket.ts';

/** Keys whose rate is remembered, at most. */
const maximumKeys = 100_000;

/**
 * Counts requests per key: 429 past its store's rate. Counted in this process alone; several gateways let through as
 * many times the rate. Needs `request.access`.
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
