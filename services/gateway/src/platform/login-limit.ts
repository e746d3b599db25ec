import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createTokenBuckets } from '../plugins/token-bucket.ts';

/** So many attempts a minute from one network, and with one login link or account. */
const attemptsPerMinute = 20;
/** The requests of a network to the routes of accounts, which looks for the session with each of them. */
const requestsPerMinute = 6000;
/** The sessions that accounts refuses to a network, after which it is not asked about one from there for a moment. */
const refusalsPerMinute = 600;
const maximum = 100_000;

export type LoginAttempt = {
  readonly address: string;
  readonly linkId?: string | undefined;
  /** As the person wrote it. Only its hash is kept. */
  readonly email?: string | undefined;
};

/** Throws `quota_exceeded` when a network, a login link or an account is tried too often. Each process counts alone. */
export function createLoginLimit(now: () => number = () => performance.now()) {
  const buckets = createTokenBuckets({ maximumKeys: maximum });
  return ({ address, linkId, email }: LoginAttempt): void => {
    const keys = [`network ${networkOf(address)}`];
    if (linkId !== undefined) keys.push(`link ${linkId}`);
    if (email !== undefined) keys.push(`account ${hash('sha256', email.trim().toLowerCase(), 'base64')}`);
    for (const key of keys) {
      const { allowed, retryAfterSeconds } = buckets.take(key, attemptsPerMinute, now());
      if (!allowed) {
        const detail = 'Too many attempts to sign in. Retry after `Retry-After` seconds.';
        throw new AppError('quota_exceeded', { retryAfterSeconds, detail });
      }
    }
  };
}

/** Throws `quota_exceeded` when a network uses these routes too often, with a session or without. Each process counts alone. */
export function createNetworkLimit(now: () => number = () => performance.now()) {
  const buckets = createTokenBuckets({ maximumKeys: maximum });
  return (address: string): void => {
    const { allowed, retryAfterSeconds } = buckets.take(networkOf(address), requestsPerMinute, now());
    if (!allowed) throw new AppError('quota_exceeded', { retryAfterSeconds });
  };
}

/** Limits how many sessions from one network accounts has to refuse. Each process counts alone. */
export function createRefusalLimit(now: () => number = () => performance.now()) {
  const buckets = createTokenBuckets({ maximumKeys: maximum });
  const take = (address: string, cost: 0 | 1) => buckets.take(networkOf(address), refusalsPerMinute, now(), cost);
  return {
    /** Throws `quota_exceeded` when too many were refused. */
    check(address: string): void {
      const { allowed, retryAfterSeconds } = take(address, 0);
      if (!allowed) throw new AppError('quota_exceeded', { retryAfterSeconds });
    },
    /** One more was refused. */
    count(address: string): void {
      take(address, 1);
    },
  };
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: one customer has all of the rest. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
