type BatchOptions<Item> = {
  /** The next items are handed on after so long at the earliest, and when the previous ones have been handled. */
  readonly ms: number;
  /** Handling that takes longer than this is not waited for. */
  readonly limitMs: number;
  readonly handle: (items: readonly Item[]) => Promise<unknown>;
};

/**
 * Collects items and hands them on: the first at once, later ones together. So a burst of events becomes a few requests,
 * and no request is given up for the next one.
 */
export function createBatch<Item>({ ms, limitMs, handle }: BatchOptions<Item>) {
  let items: Item[] = [];
  let busy = false;
  let stopped = false;
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const pause = (duration: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        resolve();
      }, duration);
      timers.add(timer);
    });
  const flush = async () => {
    busy = true;
    while (items.length > 0 && !stopped) {
      const taken = items;
      items = [];
      await Promise.all([pause(ms), Promise.race([handle(taken), pause(limitMs)])]);
    }
    busy = false;
  };
  const add = (added: readonly Item[]) => {
    items.push(...added);
    if (!busy) void flush();
  };
  return {
    add,
    addLater: (added: readonly Item[], duration: number) => void pause(duration).then(() => add(added)),
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      items = [];
    },
  };
}
