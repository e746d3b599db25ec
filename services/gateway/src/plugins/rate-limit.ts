import type { Log } from '@mostrador/kit/process/log';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { createStorePaces } from './store-pace.ts';
import { createTokenBuckets } from './token-bucket.ts';

/** The most keys, and the most stores, that are remembered. */
const maximum = 100_000;

/** The number of rejections a minute that a key gets at once. */
const promptRejectionsPerMinute = 60;

/** The gateway holds each further rejection, so that a client that ignores `Retry-After` waits on its connections. */
const heldRejectionMs = 5_000;

const pacedDetail =
  'The store sends faster than its rate while the server serves other stores. Retry after `Retry-After` seconds.';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyRequest {
    /** One of many rejections of its key. The log of the requests leaves it out. */
    isHeldRejection: boolean;
  }
}

type RateLimitOptions = {
  readonly log: Log;
  /** How many requests of a store may start while other stores are active. Default: the rate of the caller. */
  readonly storeRequestsPerMinute?: number;
};

/**
 * Limits the requests of each key to its store's rate: 429 above it. While other stores are active, the requests of a
 * burst wait for their turn, before the gateway reads their bodies. Each process counts alone, so n gateways allow n
 * times the rate. Needs `request.access`.
 */
export function addRateLimit(api: FastifyInstance, { log, storeRequestsPerMinute }: RateLimitOptions): void {
  const buckets = createTokenBuckets({ maximumKeys: maximum });
  const promptRejections = createTokenBuckets({ maximumKeys: maximum });
  const warnings = createTokenBuckets({ maximumKeys: maximum });
  const paces = createStorePaces({ maximumStores: maximum });

  api.decorateRequest('isHeldRejection', false);
  api.addHook('onRequest', (request, reply, done) => {
    const { callerId, storeId, requestsPerMinute } = request.access;
    const nowMs = performance.now();
    const taken = buckets.take(callerId, requestsPerMinute, nowMs);
    reply.header('ratelimit-policy', `"default";q=${requestsPerMinute};w=60`);
    const tellLeft = (left: number) => reply.header('ratelimit', `"default";r=${left};t=${taken.fullInSeconds}`);
    tellLeft(taken.remaining);

    const reject = (retryAfterSeconds: number, detail?: string) => {
      const error = new AppError('quota_exceeded', { retryAfterSeconds, detail });
      if (promptRejections.take(callerId, promptRejectionsPerMinute, nowMs).allowed) return done(error);
      request.isHeldRejection = true;
      if (warnings.take(callerId, 1, nowMs).allowed)
        log.warn({ store_id: storeId, key_id: callerId }, 'a key keeps sending above its rate limit');
      continueLater(reply, heldRejectionMs, () => done(error));
    };
    if (!taken.allowed) return reject(taken.retryAfterSeconds);
    const turn = paces.take(storeId, storeRequestsPerMinute ?? requestsPerMinute, nowMs);
    if (!turn.starts) {
      // The bucket has room: it is the server that is busy, so the request costs nothing.
      buckets.giveBack(callerId, requestsPerMinute);
      tellLeft(taken.remaining + 1);
      return reject(turn.retryAfterSeconds, pacedDetail);
    }
    if (turn.waitMs === 0) done();
    else continueLater(reply, turn.waitMs, done);
  });
}

/** Continues a request after the delay, unless its client has gone by then. */
function continueLater(reply: FastifyReply, delayMs: number, next: () => void): void {
  const timer = setTimeout(next, delayMs);
  reply.raw.once('close', () => clearTimeout(timer));
}
