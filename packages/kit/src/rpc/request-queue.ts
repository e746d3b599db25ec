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
type Line = { running: number; readonly waiting: QueuedRequest[] };

/** Creates a queue. */
export function createRequestQueue({ concurrency, queue, perStore = concurrency }: RequestQueueLimits): RequestQueue {
  /** The stores with requests. A store goes to the end when one of its requests starts. */
  const lines = new Map<string, Line>();
  const idlers: (() => void)[] = [];
  let running = 0;
  let waiting = 0;

  const start = async (store: string, line: Line, request: QueuedRequest) => {
    running++;
    line.running++;
    lines.delete(store);
    lines.set(store, line);
    await request.run();
    running--;
    line.running--;
    if (line.running === 0 && line.waiting.length === 0) lines.delete(store);
    startNext();
    if (running === 0) for (const resolve of idlers.splice(0)) resolve();
  };

  const startNext = () => {
    if (waiting === 0) return;
    let next: [string, Line] | undefined;
    for (const each of lines) {
      const [, line] = each;
      if (line.waiting.length > 0 && line.running < (next?.[1].running ?? perStore)) next = each;
    }
    const request = next?.[1].waiting.shift();
    if (next === undefined || request === undefined) return;
    waiting--;
    start(...next, request);
  };

  /** The store that would give up a place: the one with the most waiting requests, unless `line` would then have more. */
  const giverFor = (line: Line): Line | undefined => {
    let longest = line;
    for (const each of lines.values()) if (each.waiting.length > longest.waiting.length) longest = each;
    return longest.waiting.length < line.waiting.length + 2 ? undefined : longest;
  };

  const freePlaceFor = (line: Line): boolean => {
    const giver = giverFor(line);
    if (giver === undefined) return false;
    waiting--;
    giver.waiting.pop()?.refuse();
    return true;
  };

  const lineOf = (store: string): Line => lines.get(store) ?? { running: 0, waiting: [] };
  // While a slot is free, only requests of stores at their own limit wait.
  const startsNow = (line: Line): boolean => running < concurrency && line.running < perStore;

  return {
    offer(store, request) {
      const line = lineOf(store);
      if (startsNow(line)) start(store, line, request);
      else if (waiting < queue || freePlaceFor(line)) {
        waiting++;
        line.waiting.push(request);
        lines.set(store, line);
      } else request.refuse();
    },
    hasRoom(store) {
      const line = lineOf(store);
      return startsNow(line) || waiting < queue || giverFor(line) !== undefined;
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve));
    },
    stats: () => ({ running, waiting }),
  };
}
