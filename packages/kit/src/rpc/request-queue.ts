import { AppError } from './errors.ts';

/**
 * Runs a bounded number of requests at once, with a bounded queue behind them. A request that does not fit is refused
 * at once, so that a slow dependency causes refusals and not memory growth.
 *
 * Stores share the queue. The next request is one of the store with the fewest running requests, in turn among equals.
 * When no place is free, the store with the most waiting requests gives one up to a store that has fewer.
 */
export type RequestQueue = {
  /** Runs or refuses the request, now or later. `store` is empty for a request that belongs to no store. */
  offer(store: string, request: QueuedRequest): void;
  /** Whether a request of this store would run or wait, and not be refused. */
  hasRoom(store: string): boolean;
  /** Resolves when no request runs or waits. */
  idle(): Promise<void>;
  stats(): { running: number; waiting: number };
};

/** Either `run` or `refuse` is called, once. */
export type QueuedRequest = {
  /** Must not reject. */
  run(): Promise<void>;
  /** The queue is full. The request will not run. */
  refuse(): void;
};

export type RequestQueueLimits = {
  /** Requests that run at once. */
  readonly concurrency: number;
  /** Requests that may wait. */
  readonly queue: number;
  /** Requests of one store that run at once, so that other stores find a free slot. Default: all. */
  readonly perStore?: number;
};

/** Runs work in its turn. Throws `service_unavailable` when the queue refuses it. */
export function runIn<T>(queue: RequestQueue, store: string, work: () => Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  queue.offer(store, {
    run: () => work().then(resolve, reject),
    refuse: () => reject(new AppError('service_unavailable', { retryAfterSeconds: 1 })),
  });
  return promise;
}

/** The requests of one store. */
type StoreQueue = { running: number; readonly waiting: QueuedRequest[] };

/** Creates a queue. */
export function createRequestQueue({ concurrency, queue, perStore = concurrency }: RequestQueueLimits): RequestQueue {
  /** The stores with requests. A store goes to the end when one of its requests starts. */
  const stores = new Map<string, StoreQueue>();
  const idlers: (() => void)[] = [];
  let running = 0;
  let waiting = 0;

  const start = async (store: string, storeQueue: StoreQueue, request: QueuedRequest) => {
    running++;
    storeQueue.running++;
    stores.delete(store);
    stores.set(store, storeQueue);
    await request.run();
    running--;
    storeQueue.running--;
    if (storeQueue.running === 0 && storeQueue.waiting.length === 0) stores.delete(store);
    startNext();
    if (running === 0) for (const resolve of idlers.splice(0)) resolve();
  };

  const startNext = () => {
    if (waiting === 0) return;
    let next: [string, StoreQueue] | undefined;
    for (const each of stores) {
      const [, storeQueue] = each;
      if (storeQueue.waiting.length > 0 && storeQueue.running < (next?.[1].running ?? perStore)) next = each;
    }
    const request = next?.[1].waiting.shift();
    if (next === undefined || request === undefined) return;
    waiting--;
    start(...next, request);
  };

  /** The store that would give up a place, with the most waiting requests, unless `storeQueue` then had more. */
  const giverFor = (storeQueue: StoreQueue): StoreQueue | undefined => {
    let longest = storeQueue;
    for (const each of stores.values()) if (each.waiting.length > longest.waiting.length) longest = each;
    return longest.waiting.length < storeQueue.waiting.length + 2 ? undefined : longest;
  };

  const freePlaceFor = (storeQueue: StoreQueue): boolean => {
    const giver = giverFor(storeQueue);
    if (giver === undefined) return false;
    waiting--;
    giver.waiting.pop()?.refuse();
    return true;
  };

  const queueOf = (store: string): StoreQueue => stores.get(store) ?? { running: 0, waiting: [] };
  // While a slot is free, only requests of stores at their own limit wait.
  const startsNow = (storeQueue: StoreQueue): boolean => running < concurrency && storeQueue.running < perStore;

  return {
    offer(store, request) {
      const storeQueue = queueOf(store);
      if (startsNow(storeQueue)) start(store, storeQueue, request);
      else if (waiting < queue || freePlaceFor(storeQueue)) {
        waiting++;
        storeQueue.waiting.push(request);
        stores.set(store, storeQueue);
      } else request.refuse();
    },
    hasRoom(store) {
      const storeQueue = queueOf(store);
      return startsNow(storeQueue) || waiting < queue || giverFor(storeQueue) !== undefined;
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve));
    },
    stats: () => ({ running, waiting }),
  };
}
