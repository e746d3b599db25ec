import { AppError } from '@mostrador/kit/rpc/errors';
import { createTokenBuckets } from '../plugins/token-bucket.ts';
import { networkOf } from './login-limit.ts';

/** A token has 256 random bits, so this is against load and not against guesses: a person may reload the page of a link. */
const looksPerMinute = 120;
const maximum = 100_000;

/**
 * Throws `quota_exceeded` when a network or a login link is looked at too often. A look uses no attempt to sign in up. Each
 * process counts alone.
 */
export function createLinkLimit(now: () => number = () => performance.now()) {
  const buckets = createTokenBuckets({ maximumKeys: maximum });
  return ({ address, linkId }: { readonly address: string; readonly linkId: string | undefined }): void => {
    const keys = [`network ${networkOf(address)}`, ...(linkId === undefined ? [] : [`link ${linkId}`])];
    for (const key of keys) {
      const { allowed, retryAfterSeconds } = buckets.take(key, looksPerMinute, now());
      if (!allowed) throw new AppError('quota_exceeded', { retryAfterSeconds });
    }
  };
}
