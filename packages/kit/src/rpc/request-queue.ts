/**
 * Runs a bounded number of tasks at once, with a bounded queue behind them. A task that does not fit is rejected at
 * once, so that a slow dependency causes rejections and not memory growth.
 */
export type RequestQueue = {
  /** Accepts the task, to run now or later. False: the queue is full and the task will not run. */
  offer(task: () => Promise<void>): boolean;
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>;
  stats(): { running: number; waiting: number };
};

export type RequestQueueLimits = {
  /** Tasks that run at once. */
  readonly concurrency: number;
  /** Tasks that may wait. */
  readonly queue: number;
};

/** Creates a queue. Its tasks must not reject: they handle their own errors. */
export function createRequestQueue({ concurrency, queue }: RequestQueueLimits): RequestQueue {
  const waiting: (() => Promise<void>)[] = [];
  const idlers: (() => void)[] = [];
  let running = 0;

  const start = (task: () => Promise<void>) => {
    running++;
    task().finally(() => {
      running--;
      const next = waiting.shift();
      if (next !== undefined) start(next);
      else if (running === 0) for (const resolve of idlers.splice(0)) resolve();
    });
  };

  return {
    offer(task) {
      if (running < concurrency) start(task);
      else if (waiting.length < queue) waiting.push(task);
      else return false;
      return true;
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve));
    },
    stats: () => ({ running, waiting: waiting.length }),
  };
}
