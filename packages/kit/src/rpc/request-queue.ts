/**
 * A bounded number of tasks at once and a bounded queue behind them: what does not fit is refused at once, so that a
 * slow dependency costs a refusal and not memory.
 */
export type RequestQueue = {
  /** Takes the task, now or when it is its turn. False: full, the task will not run. */
  offer(task: () => Promise<void>): boolean;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
  stats(): { running: number; waiting: number };
};

export type RequestQueueLimits = {
  /** Tasks that run at once. */
  readonly concurrency: number;
  /** Tasks that may wait. */
  readonly queue: number;
};

/** A queue. Its tasks must not reject: what goes wrong is theirs to answer. */
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
