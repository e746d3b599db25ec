import { setTimeout as pause } from 'node:timers/promises';

/**
 * Runs tasks, at most `atOnce` at a time, each key once at a time. The turn of a task ends after `longestMs`, though the task
 * goes on: one that hangs holds up nothing.
 */
export type Turns = {
  /**
   * Runs the task when it is its turn: in the order in which the keys were taken, those that are `urgent` in turn with the
   * others. A key that waits already keeps its place.
   */
  take(key: string, task: () => Promise<void>, urgent?: boolean): void;
};

export function createTurns(atOnce: number, longestMs = 500): Turns {
  const urgentOnes: string[] = [];
  const others: string[] = [];
  const tasks = new Map<string, () => Promise<void>>();
  const running = new Set<string>();
  let wasUrgent = false;

  /** The next key of the queue that does not run. */
  const takeFrom = (queue: string[]): string | undefined => {
    const index = queue.findIndex((key) => !running.has(key));
    return index < 0 ? undefined : queue.splice(index, 1)[0];
  };

  const next = (): void => {
    while (running.size < atOnce) {
      const queues = wasUrgent ? [others, urgentOnes] : [urgentOnes, others];
      const queue = queues.find((each) => each.some((key) => !running.has(key)));
      const key = queue && takeFrom(queue);
      const task = key && tasks.get(key);
      if (!task) return;
      wasUrgent = queue === urgentOnes;
      run(key, task);
    }
  };

  function run(key: string, task: () => Promise<void>): void {
    tasks.delete(key);
    running.add(key);
    const enough = new AbortController();
    const tooLong = pause(longestMs, undefined, { signal: enough.signal }).catch(() => {});
    void Promise.race([task(), tooLong]).finally(() => {
      enough.abort();
      running.delete(key);
      next();
    });
  }

  return {
    take(key, task, urgent = false) {
      if (!tasks.has(key)) (urgent ? urgentOnes : others).push(key);
      tasks.set(key, task);
      next();
    },
  };
}
