import type { Log } from '@mostrador/kit/process/log';
import { periodically } from '@mostrador/kit/process/periodic';
import { AppError } from '@mostrador/kit/rpc/errors';
import { LRUCache } from 'lru-cache';
import type { Access } from './access.ts';

/** Where the directory reads: the database, or in a test of the directory alone something scripted. */
export type AccessSource = {
  /** What a key gives access to now; null when there is no such key. */
  find(keyId: string): Promise<Access | null>;
  /** Everything that changed in these last seconds, as it is now, up to `limit` rows. */
  changed(sinceSeconds: number, limit: number): Promise<readonly Access[]>;
};

/** Who may come in, kept in memory and never older than `freshForMs`. */
export type AccessDirectory = {
  /** Null when there is no such key. Throws `service_unavailable` when that cannot be known now. */
  lookUp(keyId: string): Promise<Access | null>;
  /** Polls for changes now. Never rejects. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** How long what the last successful poll left may be used, from the moment that poll began. */
const freshForMs = 1500;
const pollEveryMs = 500;
/** A change is seen when it commits, which may be this much later than the time it is stamped with. */
const overlapSeconds = 30;
const maximumChanges = 5000;
const maximumKeys = 50_000;
/** What is not there is kept too, so that a wrong key in a loop costs the database nothing. */
type Entry = { readonly access: Access | null };
/** A question that is on its way. */
type Asked = { readonly beganAtMs: number; readonly answer: Promise<Access | null> };

/**
 * Keeps what keys give access to. Every 500 ms it asks for what changed; what it holds is used only within 1.5 s of the
 * last successful poll. After that every request asks the database, and where that cannot answer the request is refused
 * with `service_unavailable`: nobody is let in on stale knowledge. So a revocation holds within two seconds everywhere,
 * also where the notice about it was lost.
 */
export function createAccessDirectory(options: {
  source: AccessSource;
  log: Log;
  now?: () => number;
}): AccessDirectory {
  const { source, log, now = () => performance.now() } = options;
  const entries = new LRUCache<string, Entry>({ max: maximumKeys });
  const asking = new Map<string, Asked>();
  let polledAtMs: number | undefined;
  let failing = false;
  let polling: Promise<void> | undefined;
  let pollAgain = false;

  async function poll(): Promise<void> {
    const beganAtMs = now();
    const elapsedSeconds = polledAtMs === undefined ? 0 : (beganAtMs - polledAtMs) / 1000;
    try {
      const changes = await source.changed(elapsedSeconds + overlapSeconds, maximumChanges);
      if (changes.length === maximumChanges) entries.clear();
      else for (const access of changes) if (entries.has(access.keyId)) entries.set(access.keyId, { access });
      polledAtMs = beganAtMs;
      if (failing) log.info('keys and stores can be read again');
      failing = false;
    } catch (error) {
      // Said once, not twice a second.
      if (!failing) log.warn({ err: error }, 'changes of keys and stores cannot be read');
      failing = true;
    }
  }

  /** A notice that comes in mid-poll may be about a change which that poll does not see, so it polls once more. */
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

  /** The database's answer. One that was on its way while the process stood still (SIGSTOP) may be of before. */
  async function ask(keyId: string): Promise<Access | null> {
    for (;;) {
      const { beganAtMs, answer } = asking.get(keyId) ?? question(keyId);
      const access = await answer;
      if (now() - beganAtMs <= freshForMs) return access;
    }
  }

  function question(keyId: string): Asked {
    const beganAtMs = now();
    const answer = source
      .find(keyId)
      .then(
        (access) => {
          // An answer older than the last poll may lack a change that only that poll was told of: used once, not kept.
          if (polledAtMs !== undefined && beganAtMs >= polledAtMs) entries.set(keyId, { access });
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

  const polls = periodically({ name: 'access-poll', everyMs: pollEveryMs, log, run: refresh });

  return {
    async lookUp(keyId) {
      const fresh = polledAtMs !== undefined && now() - polledAtMs <= freshForMs;
      const entry = fresh ? entries.get(keyId) : undefined;
      return entry ? entry.access : await ask(keyId);
    },
    refresh,
    async start() {
      await refresh();
      polls.start();
    },
    async stop() {
      await polls.stop();
      await polling;
    },
  };
}
