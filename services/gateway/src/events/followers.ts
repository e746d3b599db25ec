import type { FeedNotice } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import { gauge, type MetricDefinition, type Metrics } from '@mostrador/kit/process/metrics';
import { type Periodic, periodically } from '@mostrador/kit/process/periodic';
import { AppError } from '@mostrador/kit/rpc/errors';

/** Why a follower ended: its client left, the gateway stops, or the refusal of its key or session, which may not read any more. */
export type FollowerEnd = 'left' | 'closing' | AppError;

/** A request that waits for events of its store. */
export type Follower = {
  /** Aborted when the follower ends, with a `FollowerEnd` as the reason. */
  readonly ended: AbortSignal;
  /**
   * Resolves when a read after `sequence` may find more. `hasMoved`: the last read has come as far as `sequence`, so the
   * next one is due at once, unless a notice has named just this event. Otherwise it waits for a notice, at most
   * `limitMs` or some seconds, because notices may be lost, and until the follower ends. A wait takes 100 ms or more.
   * False: nothing new is known, or the key or session could not be checked for a while. Then nothing may be read.
   */
  grown(sequence: number, hasMoved: boolean, limitMs: number): Promise<boolean>;
  /** Waits after a failed read: about a second, or until the follower ends. */
  rest(): Promise<void>;
  end(reason: FollowerEnd): void;
};

/** Whether a caller may still read the feed of their store. */
export type AccessCheck = {
  /**
   * Called every 400 ms. Throws the refusal of the caller, which ends the follower, or `service_unavailable` when it
   * cannot be known, which makes the follower wait.
   */
  readonly run: () => void | Promise<void>;
  /** The follower has ended. */
  readonly release: () => void;
};

/** The requests of this process that wait for events. */
export type Followers = {
  /** @throws AppError `quota_exceeded` when too many requests of the store wait already */
  follow(storeId: string, access: AccessCheck, options?: { isPerson: boolean }): Follower;
  hear(notice: FeedNotice): void;
  /** How many wait. */
  count(): number;
  /** Ends all followers, and every later one at once. */
  close(): Promise<void>;
};

type Entry = Follower & {
  /** Without a promise, because there are thousands, when the answer is known. */
  check(): void | Promise<void>;
  /** Asks for what a lost notice has named. False: it cannot now. */
  askAgain(): boolean;
  /** Another follower of the store has read further. */
  wake(): void;
  hear(sequence: number): void;
};

/** The followers of one store. */
type StoreFeed = {
  readonly entries: Set<Entry>;
  /** When one of them last read. */
  readAtMs: number;
  /** How far one of them has read. The others read on when it is more than they know. */
  readTo: number;
};

/** The number of waiting requests and streams that the keys of one store may have in a process. */
export const mostFollowers = 20;
/** The number of streams for the people of a store, beside those of its keys: one for each browser. */
const mostPeople = 200;
const retryAfterSeconds = 5;
/** A lost notice delays an event by about this time: then one follower of the store asks. */
const askAgainMs = 3_000;
/** Each follower reads a busy feed at most this often, and then all that has come meanwhile. */
const leastBetweenMs = 100;
const checkEveryMs = 400;
/** A follower reads nothing when its last successful check is older than this. */
const checkedForMs = 1_000;
const restMs = 1_000;

export function createFollowers({ log }: { log: Log }): Followers {
  /** By the id of the store. */
  const ofKeys = new Map<string, StoreFeed>();
  const ofPeople = new Map<string, StoreFeed>();
  let isClosed = false;

  const all = () =>
    [ofKeys, ofPeople].flatMap((byStore) => [...byStore.values()].flatMap(({ entries }) => [...entries]));
  const checksOf = (name: string, byStore: ReadonlyMap<string, StoreFeed>): Periodic =>
    periodically({
      ...{ name, everyMs: checkEveryMs, log },
      run: async () => {
        const running: Promise<void>[] = [];
        for (const feed of byStore.values()) {
          for (const entry of feed.entries) {
            const check = entry.check();
            if (check) running.push(check);
          }
          askAgain(feed);
        }
        await Promise.all(running);
      },
    });
  // Keys whose database does not answer must not delay the checks of people.
  const checks = [checksOf('check of keys that follow', ofKeys), checksOf('check of people who follow', ofPeople)];

  return {
    follow(storeId, access, { isPerson } = { isPerson: false }) {
      const [byStore, most] = isPerson ? ([ofPeople, mostPeople] as const) : ([ofKeys, mostFollowers] as const);
      const feed = byStore.get(storeId) ?? { entries: new Set(), readAtMs: performance.now(), readTo: 0 };
      if (feed.entries.size >= most) {
        access.release();
        const detail = `The store has ${most} requests that wait for events. Retry after \`Retry-After\` seconds.`;
        throw new AppError('quota_exceeded', { detail, retryAfterSeconds });
      }
      const entry = createFollower({ access, feed, log }, () => {
        feed.entries.delete(entry);
        if (feed.entries.size === 0) byStore.delete(storeId);
        access.release();
      });
      feed.entries.add(entry);
      byStore.set(storeId, feed);
      if (isClosed) entry.end('closing');
      else for (const each of checks) each.start();
      return entry;
    },
    hear(notice) {
      for (const [storeId, sequence] of Object.entries(notice)) {
        for (const byStore of [ofKeys, ofPeople]) {
          for (const entry of byStore.get(storeId)?.entries ?? []) entry.hear(sequence);
        }
      }
    },
    count: () => all().length,
    async close() {
      isClosed = true;
      for (const entry of all()) entry.end('closing');
      await Promise.all(checks.map((each) => each.stop()));
    },
  };
}

export const feedFollowers = {
  name: 'mostrador_feed_followers',
  type: 'gauge',
  help: 'Requests and streams that wait for events.',
} as const satisfies MetricDefinition;

/** Exports how many requests and streams wait for events. */
export function exportFollowers(metrics: Metrics, followers: Pick<Followers, 'count'>): void {
  gauge(metrics, feedFollowers, (each) => each.set(followers.count()));
}

function askAgain({ entries, readAtMs }: StoreFeed): void {
  if (performance.now() - readAtMs < askAgainMs) return;
  for (const entry of entries) if (entry.askAgain()) return;
}

type FollowerOptions = { readonly access: AccessCheck; readonly feed: StoreFeed; readonly log: Log };

function createFollower({ access, feed, log }: FollowerOptions, onEnd: () => void): Entry {
  const ending = new AbortController();
  let newest = 0;
  let readyAtMs = 0;
  let checkedAtMs = performance.now();
  let [isWaiting, isAsked] = [false, false];
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
  const isEnded = () => ending.signal.aborted;
  const isChecked = () => performance.now() - checkedAtMs <= checkedForMs;
  const end = (reason: FollowerEnd) => {
    if (isEnded()) return;
    ending.abort(reason);
    onEnd();
    wake();
  };
  const read = () => {
    isAsked = false;
    feed.readAtMs = performance.now();
    return true;
  };
  const pass = (atMs: number) => {
    const wasChecked = isChecked();
    checkedAtMs = atMs;
    if (!wasChecked) wake();
  };
  /** Only a refusal of the caller ends it. Accounts, or the database of the keys, may be back in a moment. */
  const fail = (error: unknown) => {
    if (!(error instanceof AppError)) log.error({ err: error }, 'a follower could not be checked');
    else if (error.status < 500) end(error);
  };

  return {
    ended: ending.signal,
    check() {
      const beganAtMs = performance.now();
      try {
        const running = access.run();
        return running ? running.then(() => pass(beganAtMs), fail) : pass(beganAtMs);
      } catch (error) {
        return fail(error);
      }
    },
    askAgain() {
      if (!isWaiting || !isChecked()) return false;
      isAsked = true;
      wake();
      return true;
    },
    wake: () => wake(),
    hear(sequence) {
      newest = Math.max(newest, sequence);
      wake();
    },
    async grown(sequence, hasMoved, limitMs) {
      if (sequence > feed.readTo) {
        feed.readTo = sequence;
        for (const entry of feed.entries) entry.wake();
      }
      const isBehind = () => Math.max(newest, feed.readTo) > sequence || (hasMoved && newest !== sequence);
      const isDue = () => isEnded() || (isChecked() && (isAsked || isBehind()));
      if (hasMoved && isDue()) return read();
      const untilMs = performance.now() + limitMs;
      isWaiting = true;
      await pause(limitMs, isDue);
      isWaiting = false;
      if (!isDue()) return false;
      const soonMs = Math.min(untilMs, readyAtMs) - performance.now();
      if (soonMs > 0) await pause(soonMs, isEnded);
      readyAtMs = performance.now() + leastBetweenMs;
      return read();
    },
    rest: () => pause(restMs * (0.5 + Math.random()), isEnded),
    end,
  };
}
