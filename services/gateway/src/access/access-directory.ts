import { createBoundedCache } from '@mostrador/kit/process/bounded-cache';
import type { Log } from '@mostrador/kit/process/log';
import { periodically } from '@mostrador/kit/process/periodic';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Access } from './access.ts';

/** Where the directory reads: the database, or a scripted source in the directory's unit test. */
export type AccessSource = {
  /** The current access of a key; null if the key does not exist. */
  find(keyId: string): Promise<Access | null>;
  /** What changed in the last `sinceSeconds`. */
  changes(sinceSeconds: number, limit: number): Promise<AccessChanges>;
};

export type AccessChanges = {
  /** The current access of every key that changed, at most `limit`. */
  readonly changed: readonly Access[];
  /** The ids of the keys that were deleted. */
  readonly deleted: readonly string[];
};

/** An in-memory cache of what each key gives access to. An entry in use is never older than 1.5 s. */
export type AccessDirectory = {
  /**
   * Null if the key does not exist. Throws `service_unavailable` if the database must be read, and it fails or many
   * unknown keys are being read.
   */
  lookUp(keyId: string): Promise<Access | null>;
  /** Polls for changes now. Never rejects. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** How long the cache may be used, counted from the start of the last successful poll. */
const freshForMs = 1500;
const pollEveryMs = 500;
/** Polls pause when no key was looked up for this long. The next look-up reads the database, and polls go on. */
const unusedAfterMs = 10_000;
/** After a longer time without a poll the cache is emptied. Accounts knows for a day which keys were deleted. */
const forgottenAfterMs = 3_600_000;
/** A change becomes visible at its commit, which may be up to 30 s after its `updated_at`. */
const overlapSeconds = 30;
const maximumChanges = 5000;
const maximumKeys = 50_000;
/** Unknown keys have a cache of their own, so that a flood of them displaces no existing key. */
const maximumUnknownKeys = 10_000;
/** The most keys that are read at once. A key that is not cached is rejected above it. */
const maximumReads = 4000;
/** A database read in progress. */
type Asked = { readonly beganAtMs: number; readonly answer: Promise<Access | null> };

/**
 * Caches what keys give access to, and which keys do not exist. While keys are looked up, a poll every 500 ms reads the
 * changes, and the cache is used only within 1.5 s of the last successful poll. After that every request reads the database. If the database
 * fails, the request gets `service_unavailable`: the gateway never accepts a key from a stale cache. So a revocation
 * takes effect everywhere within 2 s, even if its notice is lost.
 */
export function createAccessDirectory(options: {
  source: AccessSource;
  log: Log;
  now?: () => number;
}): AccessDirectory {
  const { source, log, now = () => performance.now() } = options;
  const entries = createBoundedCache<string, Access>(maximumKeys);
  const unknown = createBoundedCache<string, true>(maximumUnknownKeys);
  const asking = new Map<string, Asked>();
  let polledAtMs: number | undefined;
  let usedAtMs = Number.NEGATIVE_INFINITY;
  let isStarted = false;
  let failing = false;
  let polling: Promise<void> | undefined;
  let pollAgain = false;

  async function poll(): Promise<void> {
    const beganAtMs = now();
    const isForgotten = polledAtMs !== undefined && beganAtMs - polledAtMs > forgottenAfterMs;
    const elapsedSeconds = polledAtMs === undefined || isForgotten ? 0 : (beganAtMs - polledAtMs) / 1000;
    try {
      const { changed, deleted } = await source.changes(elapsedSeconds + overlapSeconds, maximumChanges);
      for (const keyId of deleted) entries.delete(keyId);
      if (changed.length === maximumChanges || isForgotten) {
        entries.clear();
        unknown.clear();
      }
      for (const access of changed) {
        if (unknown.delete(access.callerId) || entries.has(access.callerId)) entries.set(access.callerId, access);
      }
      polledAtMs = beganAtMs;
      if (failing) log.info('polls for changed keys and stores succeed again');
      failing = false;
    } catch (error) {
      // Logged once for an outage, not for every poll.
      if (!failing) log.warn({ err: error }, 'polls for changed keys and stores fail');
      failing = true;
    }
  }

  /** A notice during a poll may be about a change that this poll does not see, so one more poll follows. */
  function refresh(): Promise<void> {
    if (polling) {
      pollAgain = true;
      return polling;
    }
    polling = (async () => {
      do {
        pollAgain = false;
        await poll();
      } while (pollAgain);
      polling = undefined;
    })();
    return polling;
  }

  /** Reads the database. Repeats a read that took more than 1.5 s, because after a SIGSTOP its result may be stale. */
  async function ask(keyId: string): Promise<Access | null> {
    for (;;) {
      const { beganAtMs, answer } = asking.get(keyId) ?? question(keyId);
      const access = await answer;
      if (now() - beganAtMs <= freshForMs) return access;
    }
  }

  function question(keyId: string): Asked {
    // Keys that the cache has seen still work during a flood of unknown ones.
    if (asking.size >= maximumReads && !entries.has(keyId)) {
      throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
    }
    const beganAtMs = now();
    const answer = source
      .find(keyId)
      .then(
        (access) => {
          // A read that began before the last poll may lack a change that only this poll saw. It is used, not cached.
          if (polledAtMs !== undefined && beganAtMs >= polledAtMs) remember(keyId, access);
          return access;
        },
        (error: unknown) => {
          throw new AppError('service_unavailable', { retryAfterSeconds: 1, cause: error });
        },
      )
      .finally(() => asking.delete(keyId));
    const asked = { beganAtMs, answer };
    asking.set(keyId, asked);
    return asked;
  }

  function remember(keyId: string, access: Access | null): void {
    if (access) {
      entries.set(keyId, access);
      unknown.delete(keyId);
    } else {
      entries.delete(keyId);
      unknown.set(keyId, true);
    }
  }

  const polls = periodically({
    ...{ name: 'access-poll', everyMs: pollEveryMs, log },
    run: async () => {
      if (now() - usedAtMs <= unusedAfterMs) await refresh();
    },
  });

  return {
    async lookUp(keyId) {
      const hadPaused = isStarted && now() - usedAtMs > unusedAfterMs;
      usedAtMs = now();
      if (hadPaused) void refresh();
      const fresh = polledAtMs !== undefined && now() - polledAtMs <= freshForMs;
      if (!fresh) return await ask(keyId);
      return unknown.get(keyId) ? null : (entries.get(keyId) ?? (await ask(keyId)));
    },
    refresh,
    async start() {
      await refresh();
      isStarted = true;
      polls.start();
    },
    async stop() {
      await polls.stop();
      await polling;
    },
  };
}
