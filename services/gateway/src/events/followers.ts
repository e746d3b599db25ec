import type { FeedNotice } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import type { Metrics } from '@mostrador/kit/process/metrics';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { AppError } from '@mostrador/kit/rpc/errors';
import { Gauge } from 'prom-client';

/** Why a follower ended: its client left, the gateway stops, or the error of its key, which may not read any more. */
export type FollowerEnd = 'left' | 'closing' | AppError;

/** A request that waits for events of its store. */
export type Follower = {
  /** Aborted when the follower ends, with a `FollowerEnd` as the reason. */
  readonly ended: AbortSignal;
  /**
   * Resolves when a read after `sequence` may find more. `hasMoved`: the last read has come as far as `sequence`, so the
   * next one is due at once, unless a notice has named just this event. Otherwise it waits for a notice, at most
   * `limitMs` or some seconds, because notices may be lost, and until the follower ends. A wait takes 100 ms or more.
   */
  grown(sequence: number, hasMoved: boolean, limitMs: number): Promise<void>;
  end(reason: FollowerEnd): void;
};

/** The requests of this process that wait for events. */
export type Followers = {
  /**
   * @param checkAccess throws when the caller may no longer read the feed; called every 400 ms
   * @throws AppError `quota_exceeded` when too many requests of the store wait already
   */
  follow(storeId: string, checkAccess: () => Promise<void>, options?: { isPerson: boolean }): Follower;
  hear(notice: FeedNotice): void;
  /** How many wait. */
  count(): number;
  /** Ends all followers, and every later one at once. */
  close(): Promise<void>;
};

type Entry = Follower & {
  readonly checkAccess: () => Promise<void>;
  hear(sequence: number): void;
};

/** The keys of one store may have so many waiting requests and streams in a process. */
export const mostFollowers = 20;
/** The people of a store have so many streams of their own: one for each browser. */
const mostPeople = 200;
const retryAfterSeconds = 5;
/** A lost notice delays an event by so long. */
const lookAgainMs = 3_000;
/** A busy feed is read so often by each follower, with all that has come meanwhile. */
const leastBetweenMs = 100;
const checkEveryMs = 400;

export function createFollowers({ log }: { log: Log }): Followers {
  /** By the id of the store. */
  const ofKeys = new Map<string, Set<Entry>>();
  const ofPeople = new Map<string, Set<Entry>>();
  let isClosed = false;

  const all = () => [ofKeys, ofPeople].flatMap((byStore) => [...byStore.values()].flatMap((entries) => [...entries]));
  const checks: Periodic = periodically({
    name: 'check of the keys that wait for events',
    everyMs: checkEveryMs,
    log,
    run: async () => {
      const check = async (entry: Entry) => {
        await entry.checkAccess().catch((error) => entry.end(toRefusal(error)));
      };
      await Promise.all(all().map(check));
    },
  });

  return {
    follow(storeId, checkAccess, { isPerson } = { isPerson: false }) {
      const [byStore, most] = isPerson ? ([ofPeople, mostPeople] as const) : ([ofKeys, mostFollowers] as const);
      const entries = byStore.get(storeId) ?? new Set();
      if (entries.size >= most) {
        const detail = `The store has ${most} requests that wait for events. Retry after \`Retry-After\` seconds.`;
        throw new AppError('quota_exceeded', { detail, retryAfterSeconds });
      }
      const entry = createFollower(checkAccess, () => {
        entries.delete(entry);
        if (entries.size === 0) byStore.delete(storeId);
      });
      entries.add(entry);
      byStore.set(storeId, entries);
      if (isClosed) entry.end('closing');
      else checks.start();
      return entry;
    },
    hear(notice) {
      for (const [storeId, sequence] of Object.entries(notice)) {
        for (const byStore of [ofKeys, ofPeople]) {
          for (const entry of byStore.get(storeId) ?? []) entry.hear(sequence);
        }
      }
    },
    count: () => all().length,
    async close() {
      isClosed = true;
      for (const entry of all()) entry.end('closing');
      await checks.stop();
    },
  };
}

/** Exports how many requests and streams wait for events. */
export function exportFollowers({ registry }: Metrics, followers: Pick<Followers, 'count'>): void {
  new Gauge({
    name: 'mostrador_feed_followers',
    help: 'Requests and streams that wait for events.',
    registers: [registry],
    collect() {
      this.set(followers.count());
    },
  });
}

/** Where the key cannot be checked, the waiting request ends as every other request does. */
const toRefusal = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('internal_error', { cause: error });

function createFollower(checkAccess: () => Promise<void>, onEnd: () => void): Entry {
  const ending = new AbortController();
  let newest = 0;
  let readyAtMs = 0;
  let wake = () => {};

  /** Resolves after the time, or when `wake` is called and `isOver` says so. */
  const pause = (ms: number, isOver: () => boolean) =>
    new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        wake = () => {};
        resolve();
      };
      const timer = setTimeout(finish, ms);
      wake = () => {
        if (isOver()) finish();
      };
      wake();
    });

  return {
    checkAccess,
    ended: ending.signal,
    hear(sequence) {
      newest = Math.max(newest, sequence);
      wake();
    },
    async grown(sequence, hasMoved, limitMs) {
      if (hasMoved && newest !== sequence) return;
      const isEnded = () => ending.signal.aborted;
      const jitteredMs = lookAgainMs * (0.8 + Math.random() * 0.4);
      await pause(Math.max(0, Math.min(limitMs, jitteredMs)), () => isEnded() || newest > sequence);
      const soonMs = Math.min(limitMs, readyAtMs - performance.now());
      if (soonMs > 0) await pause(soonMs, isEnded);
      readyAtMs = performance.now() + leastBetweenMs;
    },
    end(reason) {
      if (ending.signal.aborted) return;
      ending.abort(reason);
      onEnd();
      wake();
    },
  };
}
