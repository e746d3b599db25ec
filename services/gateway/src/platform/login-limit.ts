import { hash } from 'node:crypto';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createTokenBuckets } from '../plugins/token-bucket.ts';
import { networksOf } from './networks.ts';

/** The attempts a minute from one network, in each way to sign in, and with one login link or account. */
const attemptsPerMinute = 20;
/** A person may look at the page of a link again and again. */
const looksPerMinute = 120;
/** The attempts a minute that one network may begin: asking for a passkey or the OpenID provider reveals nothing yet. */
const beginningsPerMinute = 120;
/** The requests without a session from one network. */
const guestRequestsPerMinute = 6000;
/** The sessions that accounts refuses to a network, after which only those from there go on that prove to be open. */
const refusalsPerMinute = 600;
const maximum = 100_000;

export type SignInMethod = 'password' | 'link' | 'passkey' | 'oidc';
/** Looking at a login link uses none of its attempts up. */
type AttemptKind = SignInMethod | 'look';

export type LoginAttempt = {
  readonly method: AttemptKind;
  readonly address: string;
  readonly linkId?: string | undefined;
  /** As the person wrote it. Only its hash is kept. */
  readonly email?: string | undefined;
  /** The token of the browser, if it says that the person has signed in with it before. Accounts checks whether it has. */
  readonly device?: string | undefined;
};

/** An attempt that was let through. */
export type CountedAttempt = {
  /** The network has used its attempts. This one goes on, because a login link cannot be guessed. */
  readonly isSuspect: boolean;
  /** Gives back what it took: only failures count. */
  succeed(): void;
};

type Bucket = readonly [key: string, perMinute: number];

/** Token buckets of which a request takes from several, or from none. */
function createBucketGroups(now: () => number) {
  const buckets = createTokenBuckets({ maximumKeys: maximum });
  const waitSeconds = (some: readonly Bucket[]): number =>
    Math.max(0, ...some.map(([key, perMinute]) => buckets.take(key, perMinute, now(), 0).retryAfterSeconds));
  return {
    /** The seconds until all of them have a token; 0: they have. */
    waitSeconds,
    take(some: readonly Bucket[]): void {
      for (const [key, perMinute] of some) buckets.take(key, perMinute, now());
    },
    giveBack(some: readonly Bucket[]): void {
      for (const [key, perMinute] of some) buckets.giveBack(key, perMinute);
    },
    /** Takes from all of them. Throws `quota_exceeded`, and takes nothing, when one of them is empty. */
    takeOrThrow(some: readonly Bucket[], detail?: string): void {
      const retryAfterSeconds = waitSeconds(some);
      if (retryAfterSeconds > 0) throw new AppError('quota_exceeded', { retryAfterSeconds, detail });
      this.take(some);
    },
  };
}

const ofNetworks = (kind: string, address: string, perMinute: number): Bucket[] =>
  networksOf(address).map(({ name, share }) => [`${kind} network ${name}`, perMinute * share]);

const tooManyAttempts = 'Too many attempts to sign in. Retry after `Retry-After` seconds.';

/**
 * Limits the attempts to sign in that fail, by network, login link and account. Each way to sign in has its own, so that
 * one of them does not lock the others. Each process counts alone. Its methods throw `quota_exceeded`.
 */
export function createLoginLimit(now: () => number = () => performance.now()) {
  const groups = createBucketGroups(now);
  const beginningsOf = (method: AttemptKind, address: string) =>
    ofNetworks(`begin ${method}`, address, beginningsPerMinute);

  return {
    /** Counts that a person begins to sign in. The attempt follows. */
    begin(method: SignInMethod, address: string): void {
      groups.takeOrThrow(beginningsOf(method, address), tooManyAttempts);
    },
    /** Counts an attempt, before its outcome is known. */
    attempt({ method, address, linkId, email, device }: LoginAttempt): CountedAttempt {
      const perMinute = method === 'look' ? looksPerMinute : attemptsPerMinute;
      const networks = ofNetworks(method, address, perMinute);
      const named: Bucket[] = [];
      if (linkId !== undefined) named.push([`${method} ${linkId}`, perMinute]);
      if (email !== undefined) {
        // What others try with the address does not lock a browser of its person.
        const who = `${device ?? ''} ${email.trim().toLowerCase()}`;
        named.push([`account ${hash('sha256', who, 'base64')}`, attemptsPerMinute]);
      }
      const isSuspect = (method === 'link' || method === 'look') && groups.waitSeconds(networks) > 0;
      const taken = isSuspect ? named : [...networks, ...named];
      groups.takeOrThrow(taken, tooManyAttempts);
      return { isSuspect, succeed: () => groups.giveBack([...taken, ...beginningsOf(method, address)]) };
    },
  };
}
export type LoginLimit = ReturnType<typeof createLoginLimit>;

/** Throws `quota_exceeded` when a network sends too many requests without a session. Each process counts alone. */
export function createGuestLimit(now: () => number = () => performance.now()) {
  const groups = createBucketGroups(now);
  return (address: string): void => groups.takeOrThrow(ofNetworks('guest', address, guestRequestsPerMinute));
}

/** Limits how many sessions from one network accounts has to refuse one by one. Each process counts alone. */
export function createRefusalLimit(now: () => number = () => performance.now()) {
  const groups = createBucketGroups(now);
  const bucketsOf = (address: string) => ofNetworks('refusal', address, refusalsPerMinute);
  return {
    /** Counts a request as refused, before its outcome is known. Returns the seconds to wait; 0: it was counted. */
    take(address: string): number {
      const retryAfterSeconds = groups.waitSeconds(bucketsOf(address));
      if (retryAfterSeconds === 0) groups.take(bucketsOf(address));
      return retryAfterSeconds;
    },
    /** The session was not refused. */
    giveBack(address: string): void {
      groups.giveBack(bucketsOf(address));
    },
  };
}
